"""Making the course: `course/` from `solutions/`, students' own copies, and trials of the answer bank.

release: `release()`. workcopy: `give_out()`. trial: `examine()` and `natively()`.
"""
