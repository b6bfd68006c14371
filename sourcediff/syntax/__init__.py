"""Layer 1: function ↔ tree ↔ text. The only importer of gast and astor."""
