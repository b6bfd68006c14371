"""Phase 1: what is not taken is refused or set apart, and inner functions that call themselves become functions of their own."""
