"""Programs with the gradients that were written or reviewed by hand."""
