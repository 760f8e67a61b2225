#!/usr/bin/env bash
# Prints the Secrets that the services need, with new random values: a password for each database role
# and the master key of the signing keys. Use once; `create` refuses to replace what exists:
#   k8s/make-secrets.sh | kubectl --namespace job-scheduler-dev create -f -
# The database's roles must have these passwords: see docs/operations.md.
set -euo pipefail

secret() { # name key value
  printf -- '---\napiVersion: v1\nkind: Secret\nmetadata:\n  name: %s\ntype: Opaque\nstringData:\n  %s: "%s"\n' "$1" "$2" "$3"
}

password() {
  head -c 32 /dev/urandom | base64 | tr '+/' '-_' | tr -d '=\n'
}

for role in owner api worker scheduler dashboard; do
  secret "jobs-db-$role" password "$(password)"
done
secret jobs-access master.key "$(head -c 32 /dev/urandom | base64 | tr -d '\n')"
# The superuser of the dev overlay's own PostgreSQL.
secret postgres-superuser password "$(password)"
