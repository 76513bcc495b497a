#!/usr/bin/env bash
# Makes .venv from the lock with nothing but pip, and sees that the Debian packages are there.
#   setup.sh PYTHON   what grading needs        setup.sh --test   what `make test` needs besides
set -euo pipefail
cd "$(dirname "$0")/.."

debian() {  # debian WHY COMMAND PACKAGE...: install the packages where the command is missing and we are root
  local why=$1 command=$2
  shift 2
  if command -v "$command" >/dev/null; then return 0; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $* ($why)"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  else
    echo "setup: $why needs $command: sudo apt-get install $*" >&2
    return 1
  fi
}

if [ "${1:-}" = --test ]; then
  debian "the browser test" chromium chromium fonts-dejavu-core
  if ! compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null; then  # not on PATH
    # Its package would start a server for the whole machine; the test starts one of its own.
    if [ "$(id -u)" = 0 ]; then
      mkdir -p /etc/postgresql-common/createcluster.d
      echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/nbproctor.conf
    fi
    debian "the test of a gradebook on PostgreSQL" initdb postgresql
  fi
  if ! cmp -s grader/tests/colab.lock .colab/colab.lock; then
    echo "installing a kernel as Colab has it (300 MB, into .colab)"
    rm -rf .colab
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --target .colab \
      --requirement grader/tests/colab.lock
    cp grader/tests/colab.lock .colab/
  fi
  exit 0
fi

python=${1:-}
if [ -z "$python" ] || ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))'; then
  echo "setup: expected Python 3.11, 3.12 or 3.13, found ${python:-none}; make setup PYTHON=/path/to/python3.12" >&2
  exit 1
fi
[ -x .venv/bin/python ] || "$python" -m venv .venv
.venv/bin/python -m pip install -qq --disable-pip-version-check --requirement grader/requirements.lock
.venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation --editable grader
.venv/bin/python -c 'import matplotlib.font_manager'  # its list of fonts takes seconds, once
# Without it the grader says so and refuses; the course itself does not need it.
debian "the sandbox" bwrap bubblewrap libseccomp2 || true
