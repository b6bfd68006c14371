"""Phase 5: statements and expressions become those of the core form (:mod:`sourcediff.core.form`)."""
