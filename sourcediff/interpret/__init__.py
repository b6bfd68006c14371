"""The interpreter of the front end: a function of objects, closures and generators becomes one of arrays and numbers."""
