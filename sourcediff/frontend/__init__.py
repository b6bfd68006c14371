"""The front end: from a user's Python to the core form, one room for each phase, in this order: read, order, desugar, inline, lower."""
