"""Sparse Jacobians and Hessians: a pattern that is given or found, a colouring, and one sweep for each colour."""
