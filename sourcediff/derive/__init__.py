"""Layer 4: the derivative of a program in normal form, one method per statement form."""
