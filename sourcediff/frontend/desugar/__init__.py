"""Phase 3: what Python says in many ways is said in few: stars, comprehensions, methods of containers, tables of functions."""
