"""Which submission goes where: to this machine's cores, or to the workers of a dask scheduler. Results are stored.

batch, cluster: `run()`. job: `Job`. store: `Store`.
"""
