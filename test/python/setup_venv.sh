#!/bin/sh
# setup_venv.sh DIR: makes the virtual environment of the tests that compare with PyTorch, or leaves
# it alone when it is already what requirements.txt asks for. PYTHON names another interpreter. Where
# the registry's torch is a CUDA build, PIP_FIND_LINKS or PIP_EXTRA_INDEX_URL may point pip at a
# smaller CPU build of the same version.
set -eu
[ $# -eq 1 ] || { echo "usage: setup_venv.sh DIR" >&2; exit 2; }
dir=$1
python=${PYTHON:-python3}
reqs=$(dirname "$0")/requirements.txt
want="$(cksum <"$reqs") $("$python" -V 2>&1)"
stamp=$dir/ferrite-stamp
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$want" ]; then
  exit 0
fi

mkdir -p "$dir"
log=$dir.log
fail() {
  echo "failed" >&2
  tail -n 15 "$log" >&2
  echo "setup_venv.sh: $1 (whole log: $log)" >&2
  exit 1
}
printf 'python environment in %s (torch and others, some minutes) ... ' "$dir"
"$python" -m venv --clear "$dir" >"$log" 2>&1 ||
  fail "'$python -m venv' does not work: on Debian, install python3-venv"
"$dir/bin/pip" install --disable-pip-version-check -r "$reqs" >>"$log" 2>&1 ||
  fail "pip could not install $reqs"
echo "$want" >"$stamp"
echo "done"
