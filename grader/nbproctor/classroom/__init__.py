"""What a class's results become: nbgrader's gradebook, pages, the report, and files for learning systems.

records: `prepare()`, `record()` and `write_files()`. gradebook: nbgrader's own, the one truth. gradescope: its JSON.
lms_files: CSV files as learning systems import them. formgrader: a plugin that nbgrader loads by its name.
"""
