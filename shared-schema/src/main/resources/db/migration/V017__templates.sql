-- compat: additive
--
-- Labels of the jobs that a schedule makes, as a job of its own may carry them. A workflow template holds those of its
-- jobs itself: "tags" and "metadata", both optional.

ALTER TABLE schedules
  ADD COLUMN tags text[] CHECK (cardinality(tags) BETWEEN 1 AND 20),
  -- json, like the payload: what was typed comes back
  ADD COLUMN metadata json;

INSERT INTO schema_versions (version, compat) VALUES (17, 'additive');
