"""The values that packages exchange: results, grades, submissions, and the cells and texts in them.

Every package may import every module here. Nothing here starts a process, and nothing imports torch.
"""
