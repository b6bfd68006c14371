"""The graph: Variables, nodes, and the walks over them."""
