"""Layer 3: the define-by-run engine. Variables record Function nodes as the program runs; backward walks them."""
