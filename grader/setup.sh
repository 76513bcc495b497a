#!/usr/bin/env bash
# Makes .venv from the lock with nothing but pip, and sees that the Debian packages are there.
#   setup.sh PYTHON          what the course and the grader need
#   setup.sh --test          what `make test` needs besides
#   setup.sh PYTHON --test   both at once: pip keeps one core busy, and a machine has two
# Says what it does before it does it. pip shows its own progress.
set -euo pipefail
cd "$(dirname "$0")/.."

debian() {  # debian WHY COMMAND PACKAGE...: install the packages where the command is missing and we are root
  local why=$1 command=$2
  shift 2
  if command -v "$command" >/dev/null; then return 0; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing $* for $why, from Debian (less than a minute; chromium has 300 MB, the rest 1 MB)"
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
  else
    echo "setup: $why needs $command: sudo apt-get install $*" >&2
    return 1
  fi
}

compile() {  # compile FOLDER: what pip has installed there, on all cores, where pip would take one
  # A quarter of the time would go into the tests of other packages and into PyTorch's compiler, which nobody imports
  # here. A template is no Python, which pip passes over, too.
  .venv/bin/python -m compileall -qq -j 0 -x '/tests?/|/torch/_inductor/' "$1" || true
}

of_debian() {
  debian "the browser test" chromium chromium fonts-dejavu-core
  if ! compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null; then  # not on PATH
    # Its package would start a server for the whole machine; the test starts one of its own.
    if [ "$(id -u)" = 0 ]; then
      mkdir -p /etc/postgresql-common/createcluster.d
      echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/nbproctor.conf
    fi
    debian "the test of a gradebook on PostgreSQL" initdb postgresql
  fi
}

of_colab() {
  if ! cmp -s grader/tests/colab.lock .colab/colab.lock; then
    echo "setup: a kernel as Colab has it, into .colab (300 MB, a minute)"
    rm -rf .colab
    .venv/bin/python -m pip install -qq --disable-pip-version-check --no-deps --no-compile --target .colab \
      --requirement grader/tests/colab.lock
    compile .colab
    cp grader/tests/colab.lock .colab/
  fi
}

of_tests() {
  of_debian &
  of_colab
  wait $!
}

if [ "${1:-}" = --test ]; then
  of_tests
  exit 0
fi

python=${1:-}
if [ -z "$python" ] || ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))'; then
  echo "setup: expected Python 3.11, 3.12 or 3.13, found ${python:-none}; make setup PYTHON=/path/to/python3.12" >&2
  exit 1
fi
install() { .venv/bin/python -m pip install --disable-pip-version-check "$@"; }
packages=$(grep -c == grader/requirements.lock)
echo "setup: everything goes into .venv, 1.7 GB in about 3 minutes. Ctrl-C is safe: the same command goes on."
# What was stopped on the way has a Python, but no pip, or half of one: its list of files is written last.
if ! .venv/bin/python -c 'import sys; from importlib.metadata import files; sys.exit(not files("pip"))' 2>/dev/null; then
  echo "setup: 1 of 4  an environment of its own with $("$python" --version)"
  if ! "$python" -m venv --clear .venv; then
    package=$("$python" -c 'import sys; print("python{}.{}-venv".format(*sys.version_info))')
    echo "setup: $python could make no environment in .venv, see above; on Debian and Ubuntu it needs a package," \
      "sudo apt-get install $package, and then the same command goes on" >&2
    exit 1
  fi
fi
if [ "${2:-}" = --test ]; then of_tests & fi
echo "setup: 2 of 4  $packages packages at the versions of grader/requirements.lock; PyTorch is the large one"
install --no-compile --requirement grader/requirements.lock
compile .venv/lib
echo "setup: 3 of 4  the grader, nbproctor, and matplotlib's list of fonts (10 seconds)"
install -qq --no-deps --no-build-isolation --editable grader
.venv/bin/python -c 'import matplotlib.font_manager'
echo "setup: 4 of 4  the sandbox in which the grader runs students' code; the course itself does not need it"
if [ "${2:-}" = --test ]; then wait $!; fi  # two apt-get at a time would refuse one another
# Without it the grader says so and refuses.
debian "the sandbox" bwrap bubblewrap libseccomp2 || true
echo "setup: done. \`make lab\` opens the course, \`make grade\` grades a class."
