"""What a class's results become: nbgrader's gradebook, pages and the report.

records: `prepare()` and `record()`. gradebook: nbgrader's own, the one truth. autograded: the notebooks that formgrader
shows. gradescope: its JSON. formgrader: a plugin that nbgrader loads by its name.
"""
