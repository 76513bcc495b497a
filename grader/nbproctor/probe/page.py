"""The page of a probe, `report/probe.html`, and what was found, for a later `--same`: `report/probe.json`."""

from pathlib import Path

import msgspec

from nbproctor.classroom.pages.page import template
from nbproctor.probe.findings import Found, Rank, Survivor
from nbproctor.values.text import write_whole

RANKS = {
    Rank.SEEN: "Seen and passed: on the tests' own calls, the value was another",
    Rank.REFUSED: "Refused: on the tests' own calls, each value was the reference's",
    Rank.UNREAD: "Not looked at: no test runs this line, or reads what it computes",
    Rank.SAME: "The same to the tests: another input would show it, or it means the same",
}


def write(folder: Path, course: str, found: list[Found]) -> Path:
    """Write the page into a course's folder. Returns its path."""
    sections = [
        {
            "found": one,
            "ranks": [(text, [each for each in one.survivors if each.rank == rank]) for rank, text in RANKS.items()],
        }
        for one in found
    ]
    path = folder / "report" / "probe.html"
    write_whole(path, template("probe.html").render(course=course, assignments=sections))
    write_whole(path.with_suffix(".json"), msgspec.json.encode({one.assignment: one.survivors for one in found}))
    return path


def survivors(folder: Path) -> dict[str, tuple[str, Survivor]]:
    """The survivors of the last run, by their keys, each with its assignment."""
    try:
        data = (folder / "report" / "probe.json").read_bytes()
        found = msgspec.json.decode(data, type=dict[str, list[Survivor]])
    except (OSError, msgspec.DecodeError):
        return {}
    return {one.key: (assignment, one) for assignment, some in found.items() for one in some}
