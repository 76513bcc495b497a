#!/usr/bin/env bash
# The types of the checks: what all units share, and each unit's. These all have one name, so mypy gets links of others.
set -euo pipefail
cd "$(dirname "$0")/../../solutions"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
for unit in [0-9]*/; do ln -s "$PWD/$unit/checks.py" "$folder/checks_${unit%/}.py"; done
# The cache is begun anew: what an earlier version has left there changes what mypy finds.
MYPYPATH=.:$folder ../.venv/bin/mypy --cache-dir "$folder/cache" --config-file ../grader/tests/course.mypy.ini \
  checking/*.py checking/examine/*.py "$folder"/*.py
