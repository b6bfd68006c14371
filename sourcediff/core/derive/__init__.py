"""The derivative of a program in the core form, one method per statement form: reverse, forward, batched."""
