"""The core: the small language that is derived, and what holds of every program in it."""
