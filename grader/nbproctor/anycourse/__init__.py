"""Grades any nbgrader course: nbgrader's own steps, points and gradebook, with the cells run in our sandbox.

settings: the course and its configuration. grading: a class. doctor, report, install: what the commands of these names
do. execute, feedback: plugins that nbgrader loads by their names. remote: on the workers of a scheduler. Nothing here
needs torch.
"""
