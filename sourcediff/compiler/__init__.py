"""The pipeline from a function to the text of its derivative: :data:`sourcediff.compiler.pipeline.PIPELINE`."""
