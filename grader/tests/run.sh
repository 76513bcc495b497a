#!/usr/bin/env bash
# Everything that can fail, in groups; the first group that fails ends the run and is named.
#   run.sh          all of it; needs `setup.sh --test`
#   run.sh --quick  what a change to the grader is tried with first: lint, types, imports and the quick tests
#   run.sh TIER     the tests of one folder, process, world or course: CI has a machine for each
# It is made for two cores. Lint and the quick tests go first, side by side, since they fail soonest. Then come the three
# tiers, side by side as well: many of their tests wait for a limit, a browser or another program, and meanwhile
# notebooks are run. So nobody waits for the last test of a tier, and the three take as long as their work on two cores.
# What a change is spared and the weekly run has (NBPROCTOR_WEEKLY=1) is said where it is spared: see tests/weekly.py.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd ../.venv/bin && pwd)
unset "${!MAKE@}" MFLAGS PYTHON  # what `make test` was told is not for each make that a test starts
export PATH=$bin:$PATH OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
logs=$(mktemp -d)
lanes=()
trap 'for lane in "${lanes[@]}"; do kill -- "-$lane" 2>/dev/null || true; done; rm -rf "$logs"' EXIT

group() {  # group NAME COMMAND...: run it quietly; say how it ended, or everything that it said
  local name=$1 log="$logs/$1" start=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    printf '%s: ok, %d s\n%s\n' "$name" $((SECONDS - start)) "$(tail -n 1 "$log")"
  else
    cat "$log"
    printf '\n%s failed (%s); one test alone:  cd grader && ../.venv/bin/python -m pytest tests/TIER/FILE.py::TEST\n' "$name" "$*" >&2
    exit 1
  fi
}

side_by_side() {  # side_by_side FUNCTION...: each in a process group of its own; the first that fails ends the others
  local lane
  set -m
  for lane in "$@"; do
    "$lane" &
    lanes+=($!)
  done
  set +m
  for lane in "$@"; do wait -n || exit 1; done
  lanes=()
}

tier() {  # tier NAME OPTION...: the tests of one folder; KEEP_IN, if set, is where the files of the last tests stay
  "$bin/python" -m pytest -q ${KEEP_IN:+"--basetemp=$KEEP_IN/$1"} "${@:2}" "tests/$1"
}

style() {
  group ruff "$bin/ruff" check .
  group format "$bin/ruff" format --check .
  group "ruff of the course" "$bin/ruff" check --config pyproject.toml ../solutions
  group "format of the course" "$bin/ruff" format --check --config pyproject.toml \
    ../solutions/checking ../solutions/book ../solutions/[0-9]*/checks.py
  group mypy "$bin/mypy"
  group "mypy of the bench" "$bin/mypy" bench
  group "mypy of the course" bash tests/types_of_course.sh
  group "mypy of the book" "$bin/mypy" ../solutions/book
  group imports "$bin/lint-imports" --no-logo --no-cache
  group dependencies "$bin/deptry" nbproctor
  group "dependencies of the tests" "$bin/deptry" --exclude tests/process/submissions --ignore DEP002,DEP004 tests bench
}

quick() { group unit tier unit -n 2 --dist loadfile; }

processes=2  # of pytest, for process and for world

process() { group process tier process -n "$processes" --dist loadfile; }

world() { group world tier world -n "$processes" --dist loadfile; }

course() {
  group course tier course -n 2 --dist load --maxschedchunk 1 --durations=20
  grep -E 'call .*(gives_the_outputs|runs_alone)' "$logs/course" |
    sed -E 's/^ *([0-9.]+s) call +.*::test_a_(solution|course)_notebook.*\[(.*)\]/  \1  \2\/\3/' || true
}

"$bin/python" -m compileall -q nbproctor  # hundreds of tests start the grader, and none keeps what it compiles
case ${1:-} in
  --quick) side_by_side style quick ;;
  "")
    side_by_side style quick
    processes=1
    side_by_side course process world ;;
  *) "$1" ;;
esac
