#!/bin/sh
# The API against its own description, by schemathesis: no 5xx, no undocumented status or type, no
# answer that violates its schema, nothing taken that the description forbids. Against what `make up`
# runs, or, where nothing does, a stack that it starts and ends itself; or FUZZ_API (origin) with
# FUZZ_PASSWORD (of FUZZ_EMAIL, else admin@localhost, a platform admin). FUZZ_EXAMPLES cases per
# operation and kind, FUZZ_SEED makes a run again.
# Where there is no Python, it says so and is no failure.
set -eu
version=4.32.5
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../../.." && pwd)
venv=$root/target/schemathesis-$version

skip() {
  echo "schemathesis is left out: $1"
  exit 0
}

command -v python3 >/dev/null || skip 'no python3 is on the PATH.'
python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || skip 'it needs Python 3.11 or newer.'
python3 -c 'import ensurepip, venv' 2>/dev/null || skip 'this Python cannot make a virtual environment (Debian: python3-venv).'

# Written last, so that a broken installation is made anew.
if [ ! -e "$venv/complete" ]; then
  echo "Installing schemathesis $version into target …"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
  touch "$venv/complete"
fi

running() {
  [ -e "$run/stack.properties" ] && kill -0 "$(cut -d' ' -f1 "$run/up.pid")" 2>/dev/null
}

if [ -z "${FUZZ_API:-}" ]; then
  folder=${JOBS_UP_FOLDER:-$root/.local}
  run=$folder/run
  if ! running; then
    echo 'Starting a stack …'
    folder=$root/target/fuzz-stack
    run=$folder/run
    rm -f "$run/stack.properties"
    cd "$root"
    JOBS_UP_FOLDER=$folder java -jar "$root/local-stack/target/local-stack.jar" up >"$root/target/fuzz-stack.log" 2>&1 &
    stack=$!
    trap 'kill "$stack" 2>/dev/null; wait "$stack" || true' EXIT
    # A program in the background does not get Ctrl-C.
    trap 'exit 130' INT TERM
    rounds=300
    until running; do
      rounds=$((rounds - 1))
      [ "$rounds" -gt 0 ] && kill -0 "$stack" 2>/dev/null || { cat "$root/target/fuzz-stack.log"; exit 1; }
      sleep 1
    done
  fi
  # A colon is escaped in a properties file.
  FUZZ_API=$(sed -n 's/^api=//p' "$run/stack.properties" | tr -d '\\')
  FUZZ_PASSWORD=$(cat "$folder/secrets/admin.password")
fi
: "${FUZZ_PASSWORD:?FUZZ_PASSWORD is not set.}"
export FUZZ_API FUZZ_PASSWORD

cd "$root/target"
"$venv/bin/python" "$here/fuzz.py" "$venv/bin/st" "$root/docs/openapi.yaml"
