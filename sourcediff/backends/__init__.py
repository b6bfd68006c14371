"""Layer 5: what runs generated text."""
