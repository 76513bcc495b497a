"""`nbproctor gradescope`: grade the submission in Gradescope's container, and write the file that Gradescope reads."""

from pathlib import Path
from typing import Annotated

import typer
from msgspec.structs import replace

from nbproctor.border import sandbox
from nbproctor.classroom.gradescope import results_json, who_and_when
from nbproctor.cli.terminal import Unsafe, one_line_errors, say, writable
from nbproctor.course.units import load_gradable_unit
from nbproctor.intake import find as intake
from nbproctor.run import batch
from nbproctor.run.job import Job
from nbproctor.values.limits import Limits
from nbproctor.values.result import ungradable
from nbproctor.values.text import line, write_whole


def gradescope(
    unit: Annotated[str, typer.Argument(help="The unit of this Gradescope assignment, such as 03_self_attention.")],
    place: Annotated[
        Path,
        typer.Option("--autograder", help="Gradescope's folder. submission/ in it is read, and results/ is written."),
    ] = Path("/autograder"),
    unsafe: Unsafe = False,
) -> None:
    """Grade one submission, as a Gradescope autograder.

    It reads /autograder/submission and writes
    /autograder/results/results.json.

    The sandbox needs user namespaces (for bubblewrap) and Landlock, and the
    container has to allow both. If a layer is missing, no line of the
    student's runs: results.json tells the student so, and the output tells
    you. --unsafe goes on without the sandbox. Then the verdict is still
    computed in a process of its own, but the student's code can read the
    checks in this container, and write over its results.

    Exit code: 0 if results.json is written, whatever is in it, 2 if it is
    not (one line says why).
    """
    with one_line_errors():
        of = load_gradable_unit(unit)
        student, submitted = who_and_when(place / "submission_metadata.json")
        one, remarks = intake.in_folder(student, unit, place / "submission")
        try:
            (result,) = batch.run(Job({unit: of}, [one], Limits(), not unsafe), 1, lambda result: None)
        except sandbox.LayerMissing as error:
            say(str(error))
            reason = line("the grader's sandbox is not available there; please tell your instructor")
            result = ungradable(one.student, unit, of.max_points, reason)
        result = replace(result, submitted=submitted)
        for remark in remarks:
            result = result.with_note("accident", line(str(remark)))
        path = place / "results" / "results.json"
        with writable(path, "allow writing there, or name Gradescope's folder with --autograder"):
            write_whole(path, results_json(result))
    for reason in result.reasons:
        say(f"look at {result.student}: {reason}")
