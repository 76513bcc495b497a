"""Grades any nbgrader course: nbgrader's own steps, points and gradebook, with the cells run in our sandbox.

settings: the course and its configuration. grading: a class. doctor, report, feedback: what the commands of these names
do. remote: on the workers of a scheduler. Nothing here needs torch.
"""
