#!/bin/sh
# The API against its own description, by schemathesis: no 5xx, no undocumented status or type, no
# answer that violates its schema. Against what `make up` runs, or FUZZ_API (origin) with
# FUZZ_PASSWORD (of FUZZ_EMAIL, else admin@localhost, a platform admin). FUZZ_EXAMPLES cases per
# operation and kind, FUZZ_SEED makes a run again.
# Where there is no Python, or nothing that runs, it says so and is no failure.
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

if [ -z "${FUZZ_API:-}" ]; then
  FUZZ_API=http://localhost:${JOBS_UP_API_PORT:-8080}
  password=$root/.local/secrets/admin.password
  [ -r "$root/.local/run/up.pid" ] && [ -r "$password" ] ||
    skip "no stack is running. Start one by make up in another terminal, or set FUZZ_API and FUZZ_PASSWORD."
  FUZZ_PASSWORD=$(cat "$password")
fi
: "${FUZZ_PASSWORD:?FUZZ_PASSWORD is not set.}"
export FUZZ_API FUZZ_PASSWORD

# Written last, so that a broken installation is made anew.
if [ ! -e "$venv/complete" ]; then
  echo "Installing schemathesis $version into target …"
  rm -rf "$venv"
  python3 -m venv "$venv"
  "$venv/bin/pip" install --quiet --disable-pip-version-check "schemathesis==$version"
  touch "$venv/complete"
fi
cd "$root/target"
exec "$venv/bin/python" "$here/fuzz.py" "$venv/bin/st" "$root/docs/openapi.yaml"
