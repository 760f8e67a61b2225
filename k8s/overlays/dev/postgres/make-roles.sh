#!/usr/bin/env bash
# Makes the roles and the database from roles.sql, as a superuser. Two uses:
#   - a new container of the postgres image runs it from /docker-entrypoint-initdb.d
#   - by hand, over psql's usual variables: PGHOST=… PGUSER=… ROLES_SQL=…/roles.sql make-roles.sh
# Passwords: JOBS_DB_OWNER_PASSWORD, and the same for API, WORKER, SCHEDULER, DASHBOARD; or files named
# owner, api, … in the folder JOBS_DB_PASSWORD_DIR. Of letters, digits, - and _ only.
# The database: JOBS_DB_NAME, default jobs.
set -euo pipefail

script=$(cat "${ROLES_SQL:-/jobs/roles.sql}")
for role in owner api worker scheduler dashboard; do
  variable="JOBS_DB_${role^^}_PASSWORD"
  password=${!variable:-$(cat "${JOBS_DB_PASSWORD_DIR:?$variable is not set, nor is this}/$role")}
  if [[ ! $password =~ ^[A-Za-z0-9_-]+$ ]]; then
    echo "The password of $role may hold only letters, digits, - and _" >&2
    exit 1
  fi
  script=${script//"\${${role}_role}"/"jobs_$role"}
  script=${script//"\${${role}_password}"/"$password"}
done

# POSTGRES_USER is the superuser inside the postgres image; elsewhere psql's own defaults hold.
psql=(psql --no-psqlrc --quiet --set ON_ERROR_STOP=1 --dbname "${PGDATABASE:-postgres}")
if [[ -n ${POSTGRES_USER:-} ]]; then
  psql+=(--username "$POSTGRES_USER")
fi
"${psql[@]}" --single-transaction <<<"$script"
"${psql[@]}" <<<"CREATE DATABASE \"${JOBS_DB_NAME:-jobs}\" OWNER jobs_owner;"
