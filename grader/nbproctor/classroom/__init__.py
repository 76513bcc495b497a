"""What a class's results become: nbgrader's gradebook, pages, the report, and files for learning systems.

records: `prepare()` and `record()`. gradebook: nbgrader's own, the one truth. autograded: the notebooks that formgrader
shows. gradescope: its JSON. lms_files: CSV files as learning systems import them. formgrader: a plugin that nbgrader
loads by its name.
"""
