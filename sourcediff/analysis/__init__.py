"""Layer 3: analyses, one noun a file, tree → mapping. Facts live in what an analysis returns, never on nodes."""
