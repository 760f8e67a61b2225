#!/bin/sh
# Before a build: says plainly which tool is missing or too old, before Maven says it in its own way,
# and refuses to replace programs that a stack is running from.
# Usage: preflight.sh [no-webui]
set -u
failed=0

complain() {
  echo "$1" >&2
  failed=1
}

# newer_or_same 20.11 20.19: is the first version at least the second?
newer_or_same() {
  [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]
}

if ! command -v javac >/dev/null; then
  complain "JDK >= 17 is needed, and no javac is on the PATH."
else
  java_version=$(javac -version 2>&1 | sed 's/^javac //')
  newer_or_same "$java_version" 17 || complain "JDK >= 17 is needed, this is $java_version."
fi

if ! command -v mvn >/dev/null; then
  complain "Maven >= 3.8.6 is needed, and no mvn is on the PATH."
fi

if [ "${1:-}" != no-webui ]; then
  hint="Or build without the web UI: add WEBUI_SKIP=1."
  if ! command -v node >/dev/null; then
    complain "Node >= 20.19 is needed for the web UI, and no node is on the PATH. $hint"
  else
    node_version=$(node --version | sed 's/^v//')
    newer_or_same "$node_version" 20.19 ||
      complain "Node >= 20.19 is needed for the web UI, this is $node_version. $hint"
  fi
  if ! command -v npm >/dev/null; then
    complain "npm >= 11 is needed for the web UI, and no npm is on the PATH. $hint"
  else
    npm_version=$(npm --version)
    newer_or_same "$npm_version" 11 ||
      complain "npm >= 11 is needed for the web UI, this is $npm_version. Update it: npm install --global npm@11. $hint"
  fi
fi

supervisor=$(cut -d ' ' -f 1 .local/run/up.pid 2>/dev/null)
if [ -n "$supervisor" ] && kill -0 "$supervisor" 2>/dev/null; then
  complain "A stack is running from the programs that would be built anew. Stop it first: make down"
fi

exit $failed
