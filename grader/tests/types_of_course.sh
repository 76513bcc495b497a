#!/usr/bin/env bash
# The types of the checks: what all units share, then each unit's, which all have one name.
set -euo pipefail
cd "$(dirname "$0")/../../solutions"
cache=$(mktemp -d)  # begun anew: what an earlier version has left there changes what mypy finds
trap 'rm -rf "$cache"' EXIT
mypy() { MYPYPATH=. ../.venv/bin/mypy --cache-dir "$cache" --config-file ../grader/tests/course.mypy.ini "$@"; }
mypy -p checking
for unit in [0-9]*/; do mypy "$unit/checks.py"; done
