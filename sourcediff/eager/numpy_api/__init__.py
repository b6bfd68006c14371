"""NumPy's functions and protocols on Variables."""
