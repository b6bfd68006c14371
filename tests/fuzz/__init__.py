"""Random programs in the compiler's language, judged by three oracles; a failure is shrunk before it is shown.

``python -m tests.fuzz 0 1000`` runs the seeds 0 to 999.
"""
