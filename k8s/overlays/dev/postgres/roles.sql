-- The database roles: one owner that migrates, one role for each service. Run once per cluster, as a
-- superuser, with the placeholders replaced; the names and passwords are the operator's to choose
-- (the names then also go into the migrate mode's jobs.migrate.roles.*).
CREATE ROLE ${owner_role}     LOGIN PASSWORD '${owner_password}';
CREATE ROLE ${api_role}       LOGIN PASSWORD '${api_password}';
CREATE ROLE ${worker_role}    LOGIN PASSWORD '${worker_password}';
CREATE ROLE ${scheduler_role} LOGIN PASSWORD '${scheduler_password}';
CREATE ROLE ${dashboard_role} LOGIN PASSWORD '${dashboard_password}';
-- Then, for each database: CREATE DATABASE … OWNER ${owner_role};
