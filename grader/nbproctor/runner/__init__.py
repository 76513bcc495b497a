"""Runs cells behind the sandbox's walls: a warm process, the processes that it forks, and the requests to both.

zygote: the first three. pool: many of them at once. log: what each did. What crosses the walls is in `border.messages`.
"""
