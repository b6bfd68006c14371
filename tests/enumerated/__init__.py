"""Small programs, all of them: each kind of state, changed in each block within each block, and left in each way."""
