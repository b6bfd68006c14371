"""``python -m benchmarks``: how fast, said as ratios. One section per file; :mod:`benchmarks.measure` says how it is measured."""

import os

# the same for every library that is compared, and set before any of them is imported
THREADS = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
THREADS["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"
os.environ.update(THREADS)
