-- compat: additive
--
-- When the token before the last gave way: it, too, gives its successor again for a moment after that. Null, or too
-- old, where an older release has rotated last; then it ends its session at once, as it did.

ALTER TABLE sessions ADD COLUMN rotated_before timestamptz;

INSERT INTO schema_versions (version, compat) VALUES (18, 'additive');
