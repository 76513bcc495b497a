"""From a submission to its result. The verdict is computed here, where no line of a student's ever runs.

sit: `sit()` grades one submission. examiner: `prepare()` and `run_check()`. failures: what a student's process may do.
conversation: equal answers are examined once.
"""
