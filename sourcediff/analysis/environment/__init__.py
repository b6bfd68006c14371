"""What a function reads from outside, and whether it is still what it was when its derivative was made."""
