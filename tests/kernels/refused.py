"""What is refused today, and what has no derivative. Whoever makes an entry work takes it out: the test insists.

``python -m tests.kernels`` prints the table as it has to be.
"""

REFUSED: dict[str, dict[str, str]] = {
    "products.gemver": {
        "compiled": (
            "AliasingError: x1 is changed in place while x, which may share its memory, is still in use; w1 is changed in "
            "place while w, which may share its memory, is still in use"
        ),
    },
    "products.mvt": {
        "compiled": "AliasingError: x21 is changed in place while x2, which may share its memory, is still in use",
    },
    "products.covariance_mirrored": {
        "compiled": "AliasingError: a vector is stored into memory that overlaps it in another stride",
        "auto": "AliasingError: a vector is stored into memory that overlaps it in another stride",
        "eager": "AliasingError: a vector is stored into memory that overlaps it in another stride",
    },
    "stencils.smoothed_by_turns": {
        "compiled": (
            "AliasingError: B1 is changed in place while A, which may share its memory, is still in use; B1 is changed in "
            "place while B, which may share its memory, is still in use"
        ),
    },
    "programs.floyd_warshall": {
        "compiled": "MissingRuleError: ufunc.outer is applied to a differentiated value",
    },
    "programs.nbody": {
        "compiled": "AliasingError: vel1 is changed in place while vel, which may share its memory, is still in use",
    },
    "spectra.mandelbrot_by_masks": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "spectra.mandelbrot_by_removal": {
        "compiled": "UnsupportedSyntaxError: a complex number; a statement that is only an expression",
    },
    "spectra.stockham_fft": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "spectra.contour_integral": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "spectra.scattering_self_energies": {
        "compiled": "UnsupportedSyntaxError: a complex number",
    },
    "spectra.power_spectrum": {
        "compiled": "ComplexError: t1 depends on what is differentiated, and may be complex",
    },
}

NONE = ("programs.crc16",)
"""A checksum is made of integers."""
