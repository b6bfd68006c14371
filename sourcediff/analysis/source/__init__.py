"""What the source of a function says, whatever the order of its statements: coarse, and safe."""
