"""What to write for well-known functions of NumPy's that have no rule."""

NEAREST = {
    "np.apply_along_axis": "a loop over the rows and np.stack",
    "np.apply_over_axes": "the function itself with a tuple of axes",
    "np.block": "np.concatenate of the rows, each an np.concatenate of its blocks",
    "np.bincount": "np.add.at(v, x, weights) on a Variable v of zeros",
    "np.divmod": "np.floor_divide and np.remainder",
    "np.frexp": "np.log2 and a power of two",
    "np.histogram": "np.add.at on a Variable of zeros, for the weights",
    "np.histogram2d": "np.add.at on a Variable of zeros, for the weights",
    "np.ldexp": "x * 2.0 ** n",
    "np.linalg.eig": "np.linalg.inv, solve, det, slogdet or cholesky, if what you need can be written so",
    "np.linalg.matrix_power": "a loop of matrix products",
    "np.linalg.multi_dot": "the products themselves: a @ b @ c",
    "np.modf": "np.trunc(x) and x - np.trunc(x)",
    "np.piecewise": "np.where",
    "np.put_along_axis": "an assignment by index: x[rows, columns] = y",
}
"""Spelling of a function → the nearest way that is recorded. One that has got a rule since is simply never looked up."""
