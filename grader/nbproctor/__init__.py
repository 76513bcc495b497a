"""Grades nbgrader notebooks honestly: the student's code runs in one process, the verdict is computed in another."""

__version__ = "4.0.0"
