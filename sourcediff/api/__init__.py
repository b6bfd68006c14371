"""The doors: what users call."""
