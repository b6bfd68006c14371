"""Phase 2: what happens inside of expressions and blocks comes to stand in statements, in the order in which Python does it."""
