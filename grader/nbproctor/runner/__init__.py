"""Runs cells behind the sandbox's walls: a warm process, the processes that it forks, and the requests to both.

zygote: all of it. What crosses the walls is in `border.messages`.
"""
