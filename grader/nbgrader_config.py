"""What stock nbgrader needs to know: run its commands in this folder, `cd grader && nbgrader …`."""

from pathlib import Path

from nbproctor.release import PREPROCESSORS, STUB

c = get_config()  # noqa: F821 nbgrader provides it
c.CourseDirectory.course_id = "attention"
c.CourseDirectory.root = str(Path(__file__).resolve().parent.parent)
c.CourseDirectory.source_directory = "solutions"
c.CourseDirectory.release_directory = "course"
c.CourseDirectory.submitted_directory = "classroom/submitted"
c.CourseDirectory.autograded_directory = "classroom/autograded"
c.CourseDirectory.feedback_directory = "classroom/feedback"
c.CourseDirectory.db_url = f"sqlite:///{c.CourseDirectory.root}/classroom/gradebook.db"
c.Execute.timeout = 300  # a training cell of unit 08 or 09 takes longer than nbgrader's 30 s
c.ClearSolutions.code_stub = {"python": STUB}
c.GenerateAssignment.preprocessors = PREPROCESSORS
