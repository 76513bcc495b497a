#!/usr/bin/env bash
# Makes .venv from the lock with nothing but pip, and sees that the Debian packages are there.
#   setup.sh PYTHON          what the course and the grader need; with "" for PYTHON, it chooses one
#   setup.sh --other PYTHON  print "another-python" if .venv was made with a different one
#   setup.sh --check         what `make check` needs besides
#   setup.sh --book          what `make book` needs besides
#   setup.sh --test          what `make test` needs besides, and where NBPROCTOR_WEEKLY is 1 what `make test WEEKLY=1` needs
#   setup.sh PYTHON --test   both at once: pip keeps one core busy, and a machine has two
# Says what it does before it does it, and what pip does in a line now and then.
set -euo pipefail
cd "$(dirname "$0")/.."

debian() {  # debian WHY COMMAND PACKAGE...: install the packages where the command is missing and we are root
  local why=$1 command=$2
  shift 2
  if command -v "$command" >/dev/null; then return 0; fi
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "setup: installing $* for $why, from Debian (less than a minute; chromium has 300 MB, R 70 MB, the rest 1 MB)"
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

install() { .venv/bin/python -m pip --disable-pip-version-check install "$@"; }

progress() {  # progress TOTAL: of what pip says, a line now and then; its errors do not come this way
  local line seen=0
  while IFS= read -r line; do
    case $line in
      "Collecting "*)
        seen=$((seen + 1))
        if [ $((seen % 40)) = 0 ]; then echo "setup:         $seen of $1"; fi ;;
      "Installing collected "*) echo "setup:         unpacking" ;;
    esac
  done
}

to_check() {  # what a maintainer needs in .venv besides
  if ! cmp -s grader/tests/requirements.lock .venv/.tests.lock; then
    echo "setup: $(grep -c == grader/tests/requirements.lock) packages for tests, into .venv (half a minute)"
    install -qq --no-compile --no-deps --requirement grader/tests/requirements.lock
    cp grader/tests/requirements.lock .venv/.tests.lock
  fi
}

is_weekly() { [ "${NBPROCTOR_WEEKLY:-}" = 1 ]; }

of_debian() {
  if is_weekly && [ ! -d /usr/share/jupyter/kernels/ir ] && [ ! -d "${XDG_DATA_HOME:-$HOME/.local/share}/jupyter/kernels/ir" ]; then
    debian "the test of a course in R" IRkernel r-cran-irkernel  # a package of R, and no command: it's always missing
  fi
  debian "the browser test" chromium chromium fonts-dejavu-core
  if is_weekly && ! compgen -G "/usr/lib/postgresql/*/bin/initdb" >/dev/null; then  # not on PATH
    # Its package would start a server for the whole machine; the test starts one of its own.
    if [ "$(id -u)" = 0 ]; then
      mkdir -p /etc/postgresql-common/createcluster.d
      echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.d/nbproctor.conf
    fi
    debian "the test of a gradebook on PostgreSQL" initdb postgresql
  fi
}

locked() {  # locked NAME WHAT: the packages of grader/tests/NAME.lock in the folder .NAME, apart from all others
  local made
  made=.$1/$(.venv/bin/python -c 'import sys; print("{}.{}".format(*sys.version_info))').lock  # of the same Python
  if ! cmp -s "grader/tests/$1.lock" "$made"; then
    echo "setup: $2, into .$1"
    rm -rf ".$1"
    install -qq --no-deps --no-compile --target ".$1" --requirement "grader/tests/$1.lock"
    compile ".$1"
    cp "grader/tests/$1.lock" "$made"
  fi
}

of_book() { locked book "what makes the book (120 MB, a quarter of a minute)"; }

of_tests() {
  of_debian &
  of_book
  if is_weekly; then locked colab "a kernel as Colab has it (300 MB, a minute)"; fi
  locked models "a published model, and transformers to compare it with (200 MB, half a minute)"
  wait $!
}

about() {  # about PYTHON: its minor version and where it is installed, or nothing if it does not run
  local code='import os, sys; print("{}.{}".format(*sys.version_info), os.path.realpath(sys.base_prefix))'
  "$1" -c "$code" 2>/dev/null || true
}

is_other() {  # is_other PYTHON: whether .venv was made with a different one
  [ -e .venv/bin/python ] && [ "$(about .venv/bin/python)" != "$(about "$1")" ]
}

case ${1:-} in
  --check) to_check; exit ;;
  --book) of_book; exit ;;
  --test) to_check; of_tests; exit ;;
  --other) if is_other "$2"; then echo another-python; fi; exit ;;
esac

makes_environments() { "$1" -c 'import venv; from ensurepip import bootstrap' 2>/dev/null; }

pythons() {  # the Pythons of this machine that will do, the newest first; only those that make environments, if any does
  local version found=() unable=()
  for version in 3.14 3.13 3.12 3.11; do
    if makes_environments "python$version"; then
      found+=("python$version")
    elif "python$version" -c "" 2>/dev/null; then  # a version manager may have a command that does not run
      unable+=("python$version")
    fi
  done
  if [ ${#found[@]} = 0 ]; then found=("${unable[@]}"); fi
  for version in "${found[@]}"; do echo "$version"; done
}

choose() {  # choose PYTHON...: the first for which pip is offered PyTorch without CUDA, after how many GB there will be
  local torch asked python version offered large=""
  torch=$(sed -n 's/^torch==//p' grader/requirements.lock)
  asked=$(mktemp -d)  # on Debian there is no pip outside of an environment
  if [ -n "$torch" ] && "$1" -m venv "$asked" >/dev/null 2>&1; then
    for python in "$@"; do
      version=$("$python" -c 'import sys; print("{}.{}".format(*sys.version_info))')
      offered=$("$asked/bin/python" -m pip index versions torch --python-version "$version" --only-binary :all: \
        2>/dev/null || true)  # it may have none for this Python, or reach nobody
      case ", ${offered//$'\n'/, }," in
        *[:,]" $torch+cpu,"*) echo "1.4 $python" && rm -rf "$asked" && return ;;
        *[:,]" $torch,"*) large=${large:-$python} ;;
      esac
    done
  fi
  rm -rf "$asked"
  echo "$([ -n "$large" ] && [ "$(uname -m)" = x86_64 ] && echo 5.1 || echo "?") ${large:-$1}"
}

python=${1:-}
anew=""
# What was stopped on the way has a Python, but no pip, or half of one: its list of files is written last.
if ! .venv/bin/python -c 'import sys; from importlib.metadata import files; sys.exit(not files("pip"))' 2>/dev/null; then
  anew="asking pip for which Python there is the build of PyTorch for machines without a GPU (some seconds)"
elif [ -n "$python" ] && is_other "$python"; then
  anew=".venv has $(.venv/bin/python --version), and PYTHON=$python is another Python: .venv is made anew"
else
  echo "setup: going on in .venv, with $(.venv/bin/python --version)"
fi
if [ -n "$anew" ]; then
  here=("$python")
  if [ -z "$python" ]; then mapfile -t here < <(pythons); fi
  python=${here[0]:-python3}
  if ! "$python" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15))' 2>/dev/null; then
    found=$("$python" --version 2>/dev/null || echo "no $python that runs")
    echo "setup: expected Python 3.11 to 3.14, found $found; make setup PYTHON=/path/to/python3.12 takes another" >&2
    exit 1
  fi
  if [[ "$(about "$python")" == *" /usr" ]] && ! makes_environments "$python"; then  # as Debian and Ubuntu divide it
    package=$("$python" -c 'import sys; print("python{}.{}-venv".format(*sys.version_info))')
    debian "an environment for $python" "$package" "$package"
  fi
  echo "setup: $anew"
  read -r size chosen < <(choose "${here[@]}")
  case $size in
    1.4) echo "setup: everything goes into .venv, 1.4 GB in about 2 minutes." ;;
    5.1) echo "setup: everything goes into .venv, 5.1 GB: for ${1:-the Pythons here} pip finds PyTorch with CUDA only." ;;
    *) echo "setup: everything goes into .venv." ;;
  esac
  echo "setup: Ctrl-C is safe: the same command goes on."
  echo "setup: 1 of 4  an environment of its own with $("$chosen" --version)"
  rm -f .venv/.ready .venv/bin/python*  # first, so that nobody goes on with what is half removed
  "$chosen" -m venv --clear .venv
fi
packages=$(grep -c == grader/requirements.lock)
if [ "${2:-}" = --test ]; then of_tests & fi
echo "setup: 2 of 4  $packages packages at the versions of grader/requirements.lock, PyTorch last"
# The lock is whole, so pip has nothing to find out, but for PyTorch: some builds of it need CUDA's packages.
install --no-compile --no-deps --requirement <(grep -v ^torch== grader/requirements.lock) | progress "$packages"
echo "setup:         PyTorch, the largest of them"
install --no-compile --constraint grader/requirements.lock torch | progress "$packages"
compile .venv/lib
echo "setup: 3 of 4  the grader, nbproctor, and matplotlib's list of fonts (10 seconds)"
install -qq --no-deps --no-build-isolation --editable grader
.venv/bin/python -c 'import matplotlib.font_manager'
echo "setup: 4 of 4  the sandbox in which the grader runs students' code; the course itself does not need it"
if [ "${2:-}" = --test ]; then
  to_check
  wait $!  # two apt-get at a time would refuse one another
fi
# Without it the grader says so and refuses.
debian "the sandbox" bwrap bubblewrap libseccomp2 || true
echo "setup: done. \`make lab\` opens the course, \`make grade\` grades a class."
