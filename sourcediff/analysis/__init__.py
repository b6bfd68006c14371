"""What is known of a program before it is in the core form, and the vocabulary of facts that all analyses share."""
