"""What the rooms exchange: results, grades, submissions, and the cells and texts that these are made of.

Every room may import every module here. Nothing here starts a process, and nothing imports torch.
"""
