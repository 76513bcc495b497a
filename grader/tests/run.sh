#!/usr/bin/env bash
# Everything that can fail, in groups; the first group that fails ends the run and is named. Needs `make setup` and
# `setup.sh --test`. Two processes at a time, for two cores.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd ../.venv/bin && pwd)
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
    printf '\nmake test: %s failed (%s); one test alone:  cd grader && ../.venv/bin/python -m pytest tests/FILE.py::TEST\n' "$name" "$*" >&2
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

# Kernels and processes of their own. The long ones stand first, so that no core waits for one at the end.
shared=(test_bank test_honest test_stock test_notebooks test_house test_release test_second_device test_teaching test_course)
alone=(test_browser test_formgrader test_view test_pages)
classes=(test_batch test_cluster test_nothing_lost test_closed_folders)
sandbox=(test_sandbox_layers test_sandbox_process test_sandbox_world)
rest=()
for path in tests/test_*.py; do
  name=$(basename "$path" .py)
  case " ${shared[*]} ${alone[*]} ${classes[*]} ${sandbox[*]} " in *" $name "*) ;; *) rest+=("$name") ;; esac
done

pytest() {  # pytest FILES OPTION...
  # shellcheck disable=SC2046,SC2086 # names without blanks
  "$bin/python" -m pytest -q "${@:2}" $(printf 'tests/%s.py ' $1)
}

# Hundreds of tests start the grader, and none of them keeps what it compiles.
"$bin/python" -m compileall -q nbproctor

# Threads, forks and a browser want a process of their own each. The two lanes take about as long as one another.
first_lane() {
  group ruff "$bin/ruff" check .
  group format "$bin/ruff" format --check .
  group notebooks "$bin/ruff" check --config pyproject.toml --line-length 100 --exclude shared ../solutions  # shared: linted as cells
  group mypy "$bin/mypy"
  group "mypy of the bench" "$bin/mypy" bench
  group imports "$bin/lint-imports" --no-logo --no-cache
  group dependencies "$bin/deptry" nbproctor
  group "dependencies of the tests" "$bin/deptry" --exclude tests/submissions --ignore DEP002,DEP004 tests bench
  group classes pytest "${classes[*]}"
  group browser pytest "${alone[*]}"
  group sandbox pytest "${sandbox[*]}"
}

second_lane() {
  group grader pytest "${rest[*]}"
}

side_by_side first_lane second_lane
group course pytest "${shared[*]}" -n 2 --dist load --maxschedchunk 1 --durations=20
grep -E 'call .*(gives_the_outputs|runs_alone|colabs_kernel)' "$logs/course" | sed -E 's/^ *([0-9.]+s) call +.*::test_a_(solution|course)_notebook.*\[(.*)\]/  \1  \2\/\3/' || true
