"""What nbgrader needs to know: run its commands in this folder, `cd grader && nbgrader …`, or `make formgrader`.

CLASSROOM in the environment names another classroom than classroom/, such as classroom/sample; GRADEBOOK another
gradebook than the classroom's own, such as postgresql://ana@dbhost/gradebook.
"""

import os
from functools import partial
from pathlib import Path

from nbproctor.authoring.release import PREPROCESSORS, STUB
from nbproctor.classroom.formgrader import know_assignment

root = Path(__file__).resolve().parent.parent
classroom = (root / os.environ.get("CLASSROOM", "classroom")).resolve()

c = get_config()  # noqa: F821 nbgrader provides it
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(root)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "course"
c.CourseDirectory.submitted_directory = str(classroom / "submitted")
c.CourseDirectory.autograded_directory = str(classroom / "autograded")
# `nbgrader generate_feedback` writes pages of its own. Ours are in feedback/, and neither overwrites the other's.
c.CourseDirectory.feedback_directory = str(classroom / "nbgrader_feedback")
c.CourseDirectory.db_url = os.environ.get("GRADEBOOK") or f"sqlite:///{classroom}/gradebook.db"
c.ClearSolutions.code_stub = {"python": STUB}
c.GenerateAssignment.preprocessors = PREPROCESSORS
c.Execute.timeout = 300  # seconds a cell, where nbgrader runs notebooks itself: units 08 and 09 train for a minute
# Autograde, the button in formgrader and the command, is done by our grader in its sandbox: no step that runs a cell.
c.Autograde.pre_convert_hook = partial(know_assignment, c.CourseDirectory.db_url)
c.Autograde.sanitize_preprocessors = []
c.Autograde.autograde_preprocessors = [
    "nbproctor.classroom.formgrader.GradeInSandbox",
    "nbgrader.preprocessors.AssignLatePenalties",  # it may ask for the score
]
