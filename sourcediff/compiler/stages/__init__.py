"""The passes over a whole program, by phase: each changes the unit. In which order they run, ``compiler/pipeline.py`` says."""
