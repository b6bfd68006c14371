"""Layer 3: passes, one verb a file, tree → tree."""
