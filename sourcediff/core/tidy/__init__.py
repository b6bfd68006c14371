"""What makes derived code readable: what is not used goes, what is used once stands where it is used."""
