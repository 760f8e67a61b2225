-- compat: additive
--
-- Lists of workflows, newest first: all, by name, and by how they stand.

DROP INDEX workflows_project;
CREATE INDEX workflows_project ON workflows (project_id, created_at, id);
CREATE INDEX workflows_name ON workflows (project_id, name, created_at, id);
-- Those that have ended, by how; and those that have not, whose state is derived.
CREATE INDEX workflows_final ON workflows (project_id, final_state, created_at, id) WHERE final_state IS NOT NULL;
CREATE INDEX workflows_live ON workflows (project_id, created_at, id) WHERE final_state IS NULL;

INSERT INTO schema_versions (version, compat) VALUES (12, 'additive');
