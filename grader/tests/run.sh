#!/usr/bin/env bash
# Everything that can fail, in groups; the first group that fails ends the run and is named. Needs `make setup` and
# `setup.sh --test`. Always two processes, for two cores, but one where they steer a browser.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$(cd ../.venv/bin && pwd)
export PATH=$bin:$PATH OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1 PYTHONHASHSEED=0
log=$(mktemp)
trap 'rm -f "$log" "$log.2"; kill $(jobs -p) 2>/dev/null || true' EXIT

group() {  # group NAME COMMAND...: run it quietly; say how it ended, or everything that it said
  local name=$1 start=$SECONDS
  shift
  if "$@" >"$log" 2>&1; then
    printf '%s: ok, %d s\n' "$name" $((SECONDS - start))
    tail -n 1 "$log"
  else
    cat "$log"
    printf '\nmake test: %s failed (%s); one test alone:  cd grader && ../.venv/bin/python -m pytest tests/FILE.py::TEST\n' "$name" "$*" >&2
    exit 1
  fi
}

shared=(test_bank test_course test_teaching test_release test_notebooks test_second_device test_stock test_honest test_house)   # kernels and processes of their own
alone=(test_browser test_formgrader test_view test_pages)
classes=(test_batch test_cluster test_nothing_lost test_gradebook test_export test_cli test_gradescope test_grade_command)
rest=()
for path in tests/test_*.py; do
  name=$(basename "$path" .py)
  case " ${shared[*]} ${alone[*]} ${classes[*]} " in *" $name "*) ;; *) rest+=("$name") ;; esac
done
files() { printf 'tests/%s.py ' "$@"; }

side_by_side() {  # half of the grader's tests in each of two processes, with fixtures, forks and threads of its own
  local first=0 second=0
  # shellcheck disable=SC2046 # names without blanks
  "$bin/python" -m pytest -q $(files "${classes[@]}") >"$log.2" 2>&1 &
  # shellcheck disable=SC2046
  "$bin/python" -m pytest -q $(files "${rest[@]}") || second=$?
  wait $! || first=$?
  cat "$log.2"
  printf '%s, and %s\n' "$(tail -n 1 "$log.2")" "$(grep -E '^[0-9]+ (passed|failed)|^=.*(passed|failed)' "$log" | head -n 1)"
  return $((first || second))
}

group ruff "$bin/ruff" check .
group format "$bin/ruff" format --check .
group notebooks "$bin/ruff" check --config pyproject.toml --line-length 100 --exclude shared ../solutions  # shared: linted as cells
group mypy "$bin/mypy"
group imports "$bin/lint-imports" --no-logo --no-cache
group dependencies "$bin/deptry" nbproctor
group "dependencies of the tests" "$bin/deptry" --exclude tests/submissions --ignore DEP002,DEP004 tests bench
group grader side_by_side
# shellcheck disable=SC2046 # names without blanks
group course "$bin/python" -m pytest -q -n 2 --dist worksteal --durations=20 $(files "${shared[@]}")
grep -E 'call .*(gives_the_outputs|runs_alone|colabs_kernel)' "$log" | sed -E 's/^ *([0-9.]+s) call +.*::test_a_(solution|course)_notebook.*\[(.*)\]/  \1  \2\/\3/' || true
# shellcheck disable=SC2046
group browser "$bin/python" -m pytest -q $(files "${alone[@]}")
