/** The SQL of the write path. Each statement processes many rows, which are passed as arrays, one per column. */
import { SUM_MODULUS } from '../../domain/record/digest-sums.ts'
import { MAX_DRIFT_KEYS } from '../shared/counters/counter-deltas.ts'
import { distinctTitleSql } from '../shared/platforms/platform-rows.ts'

const STATE_PARAMETERS = `$2::bigint[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::bigint[],
  $8::text[], $9::text[], $10::bigint[], $11::text[], $12::text[], $13::text[], $14::bigint[], $15::bigint[],
  $16::bigint[]`
const STATE_COLUMNS = `platform_id, record_id, full_name, data, fingerprint, incomplete, missing_since,
  field_clocks, pushed_seq, pushed_at, pulled_at, version, reference_hash, version_hash, change_seq`

const TITLE = distinctTitleSql('p')

// Not EXISTS, for which the server may read the whole table once instead of an index for each module.
const MODULE_COLUMNS = `m.module_id, m.platform_id, m.record_type, m.module_name, m.last_read_snapshot_seq,
  m.last_read_requested_at, coalesce(p.first_name, p.platform_name) AS first_name,
  coalesce((SELECT 1 FROM tombstones t
    WHERE t.platform_name = coalesce(p.first_name, p.platform_name) AND t.record_type = m.record_type
    LIMIT 1), 0) AS has_tombstones,
  coalesce((SELECT 1 FROM digest_sums d
    WHERE d.platform_id = m.platform_id AND d.module_id = m.module_id LIMIT 1), 0) AS uses_versions`

/** Data up to this size are read with the lock of their record, and larger ones apart. 256 records have 4 MB. */
export const MAX_LOCKED_BYTES = 16_384

export const WRITE_SQL = {
  findKeys: `
    SELECT k.hub_key_id, k.platform_id, k.last_used_at, p.platform_name,
      ${TITLE} AS display_title
    FROM hub_keys k JOIN platforms p ON p.platform_id = k.platform_id
    WHERE k.hub_key_id = ANY ($1::bigint[]) AND k.revoked_at IS NULL
      AND (k.expires_at IS NULL OR k.expires_at > $2) AND p.status = 'active'`,
  saveKeyUse: 'UPDATE hub_keys SET last_used_at = $2 WHERE hub_key_id = ANY ($1::bigint[])',
  findModules: `
    SELECT ${MODULE_COLUMNS}
    FROM unnest($1::bigint[], $2::text[]) AS w (platform_id, record_type)
    CROSS JOIN LATERAL (SELECT * FROM modules
      WHERE platform_id = w.platform_id AND record_type = w.record_type OFFSET 0) m
    JOIN platforms p ON p.platform_id = m.platform_id
    WHERE m.registered_at IS NOT NULL`,
  findModulesOfReads: `
    SELECT r.ord::int, ${MODULE_COLUMNS}, m.registered_at, p.status, u.state AS pull_state
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[])
      WITH ORDINALITY AS r (pull_id, module_id, platform_id, ord)
    JOIN modules m ON m.module_id = r.module_id AND m.platform_id = r.platform_id
    JOIN platforms p ON p.platform_id = m.platform_id
    LEFT JOIN pulls u ON u.pull_id = r.pull_id`,
  findTombstones: `
    SELECT t.reference_hash, t.record_id, t.mode, r.missing_since FROM tombstones t
    LEFT JOIN records r ON r.record_id = t.record_id WHERE t.reference_hash = ANY ($1::text[])`,
  peekRecords: `
    SELECT k.reference AS reference_number, r.*
    FROM unnest($3::text[]) AS k (reference)
    CROSS JOIN LATERAL (
      SELECT record_id, fingerprint, incomplete, missing_since, pushed_seq, octet_length(data) AS bytes
      FROM records
      WHERE platform_id = $1 AND module_id = $2 AND reference_number = k.reference
      OFFSET 0
    ) r`,
  // Locks one record after another, in the order of the keys. Each is found by its index. Large data are null.
  lockRecords: `
    SELECT r.*,
      CASE WHEN r.record_id IS NULL THEN nextval('records_record_id_seq') END AS new_record_id
    FROM unnest($1::bigint[], $2::text[], $3::text[]) AS k (platform_id, record_type, reference)
    LEFT JOIN LATERAL (
      SELECT record_id, full_name, CASE WHEN octet_length(data) <= ${MAX_LOCKED_BYTES} THEN data END AS data,
        octet_length(data) AS bytes, fingerprint, incomplete, missing_since, field_clocks,
        pushed_seq, pushed_at, pulled_at, change_seq, version, reference_hash, version_hash
      FROM records
      WHERE platform_id = k.platform_id AND reference_number = k.reference AND module_id =
        (SELECT module_id FROM modules m
          WHERE m.platform_id = k.platform_id AND m.record_type = k.record_type)
      FOR NO KEY UPDATE
    ) r ON true`,
  readData: 'SELECT record_id, data FROM records WHERE record_id = ANY ($1::bigint[])',
  allocateRecordIds: `SELECT nextval('records_record_id_seq') AS number FROM generate_series(1, $1::int)`,
  allocateSequence: `SELECT nextval('write_sequence') AS number FROM generate_series(1, $1::int)`,
  insertRecords: `
    INSERT INTO records (${STATE_COLUMNS}, module_id, reference_number, created_pull_id,
      created_at, updated_at)
    SELECT w.*, $1, $1
    FROM unnest(${STATE_PARAMETERS}, $17::bigint[], $18::text[], $19::bigint[])
      AS w (${STATE_COLUMNS}, module_id, reference_number, created_pull_id)`,
  // A revert that makes a record missing again restores the reason, too, which remains while the record is present.
  updateRecords: `
    UPDATE records r SET full_name = w.full_name, data = w.data,
      fingerprint = w.fingerprint, incomplete = w.incomplete, missing_since = w.missing_since,
      taken_back = greatest(r.taken_back, w.taken_back),
      field_clocks = w.field_clocks,
      pushed_seq = w.pushed_seq, pushed_at = w.pushed_at, pulled_at = w.pulled_at,
      version = w.version, reference_hash = w.reference_hash, version_hash = w.version_hash,
      change_seq = w.change_seq, updated_at = $1
    FROM unnest(${STATE_PARAMETERS}, $17::bigint[]) AS w (${STATE_COLUMNS}, taken_back)
    WHERE r.record_id = w.record_id`,
  touchRecords: `
    UPDATE records r SET fingerprint = w.fingerprint, field_clocks = w.field_clocks,
      pushed_seq = w.pushed_seq, pushed_at = w.pushed_at, pulled_at = w.pulled_at,
      version = w.version, reference_hash = w.reference_hash, version_hash = w.version_hash
    FROM unnest($1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::text[],
      $7::text[], $8::bigint[], $9::bigint[])
      AS w (record_id, fingerprint, field_clocks, pushed_seq, pushed_at, pulled_at, version,
        reference_hash, version_hash)
    WHERE r.record_id = w.record_id`,
  appendHistory: `
    INSERT INTO record_history (platform_id, record_id, change_seq, at, source, changes, pull_id,
      request_id, revert_id)
    SELECT platform_id, record_id, change_seq, $1, source, changes, pull_id, request_id, revert_id
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
      $8::text[], $9::bigint[])
      AS w (platform_id, record_id, change_seq, source, changes, pull_id, request_id, revert_id)`,
  appendActivity: `
    INSERT INTO activity (at, level, kind, platform_id, platform_name, record_id, actor, message,
      details)
    SELECT $1, level, kind, platform_id, platform_name, record_id, actor, message, details
    FROM unnest($2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::text[],
      $8::text[], $9::text[])
      AS w (level, kind, platform_id, platform_name, record_id, actor, message, details)`,
  addHourly: `
    INSERT INTO hourly_counters AS c (day, hour, node, platform_id, received_post, received_patch,
      received_pull, created, updated, unchanged, stale, rejected)
    SELECT $1, $2, $3, w.*, 0
    FROM unnest($4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[],
      $10::bigint[], $11::bigint[]) AS w
    ON CONFLICT (day, hour, platform_id, node) DO UPDATE SET
      received_post = c.received_post + excluded.received_post,
      received_patch = c.received_patch + excluded.received_patch,
      received_pull = c.received_pull + excluded.received_pull,
      created = c.created + excluded.created, updated = c.updated + excluded.updated,
      unchanged = c.unchanged + excluded.unchanged, stale = c.stale + excluded.stale`,
  addToModules: `
    INSERT INTO module_counters AS c (node, platform_id, module_id, records, pushes, invalidations,
      versions, version_sum)
    SELECT $1, w.* FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[],
      $7::bigint[], $8::bigint[]) AS w
    ON CONFLICT (platform_id, module_id, node) DO UPDATE SET records = c.records + excluded.records,
      pushes = c.pushes + excluded.pushes, invalidations = c.invalidations + excluded.invalidations,
      versions = c.versions + excluded.versions,
      version_sum = (c.version_sum + excluded.version_sum) % ${SUM_MODULUS}`,
  findRejections: `
    SELECT r.rejected_push_id, r.code, r.replayed_at, r.replay_outcome, r.position_seq, r.position_at,
      p.platform_id, p.platform_name, ${TITLE} AS display_title, p.status,
      (SELECT string_agg(t.module_id::text, ',') FROM pulls u
        JOIN pull_tasks t ON t.pull_id = u.pull_id
        WHERE u.state = 'running' AND t.state = 'running' AND t.platform_id = r.platform_id)
        AS modules_being_read
    FROM rejected_pushes r JOIN platforms p ON p.platform_id = r.platform_id
    WHERE r.rejected_push_id = ANY ($1::bigint[])`,
  // Sent after the locks of the records, so that it sees every hold that was committed before they were acquired.
  findHolds: `
    SELECT h.record_id, h.revert_id, h.path, h.refused
    FROM unnest($1::bigint[]) AS k (record_id) JOIN holds h ON h.record_id = k.record_id`,
  findHeldModules: `
    SELECT m.platform_id, m.record_type
    FROM unnest($1::bigint[], $2::text[]) AS w (platform_id, record_type)
    CROSS JOIN LATERAL (SELECT * FROM modules
      WHERE platform_id = w.platform_id AND record_type = w.record_type OFFSET 0) m
    WHERE EXISTS (SELECT 1 FROM holds h WHERE h.module_id = m.module_id)`,
  findRunningReverts: `
    SELECT revert_id, lease_owner FROM reverts
    WHERE revert_id = ANY ($1::bigint[]) AND state = 'running'`,
  saveReverted: `
    UPDATE revert_records r SET outcome = 'reverted', done = 1, creates = w.creates, held = w.held,
      kept_path = NULL, reason = NULL
    FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[])
      AS w (revert_id, record_id, creates, held)
    WHERE r.revert_id = w.revert_id AND r.record_id = w.record_id`,
  insertHolds: `
    INSERT INTO holds (at, record_id, revert_id, path, platform_id, module_id, refused)
    SELECT $1, w.* FROM unnest($2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[],
      $7::text[]) AS w
    ON CONFLICT (record_id, revert_id, path) DO NOTHING`,
  // The holds may have explained buckets, as for `endExplanations`.
  beginEpochs: `
    UPDATE modules SET digest_epoch = digest_epoch + 1
    WHERE module_id IN (SELECT module_id FROM records WHERE record_id = ANY ($1::bigint[]))`,
  // A kind or revert that is null stands for all.
  liftHolds: `
    WITH explained AS (DELETE FROM digest_buckets WHERE state = 'explained'
      AND module_id IN (SELECT module_id FROM records WHERE record_id = ANY ($1::bigint[])))
    DELETE FROM holds h USING unnest($1::bigint[], $2::bigint[], $3::text[]) AS w (record_id, revert_id, kind)
    WHERE h.record_id = w.record_id AND (w.revert_id IS NULL OR h.revert_id = w.revert_id)
      AND (w.kind IS NULL OR w.kind = CASE h.path WHEN '' THEN 'existence'
        WHEN '/missing_since' THEN 'absence' ELSE 'values' END)`,
  saveReplays: `
    UPDATE rejected_pushes r SET replayed_at = $1, replayed_by = w.actor,
      replay_outcome = w.outcome, replay_record_id = w.record_id
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[])
      AS w (rejected_push_id, actor, outcome, record_id)
    WHERE r.rejected_push_id = w.rejected_push_id`,
  addToSums: `
    INSERT INTO digest_sums AS s (platform_id, module_id, bucket, count, sum)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
    ON CONFLICT (platform_id, module_id, bucket) DO UPDATE SET count = s.count + excluded.count,
      sum = (s.sum + excluded.sum) % ${SUM_MODULUS}`,
  // The scalar subqueries are not EXISTS for the same reason as above.
  addDrift: `
    INSERT INTO module_drift AS d (node, first_at, last_at, platform_id, module_id, kind, key, count)
    SELECT $1, $2, $2, w.*
    FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])
      AS w (platform_id, module_id, kind, key, count)
    WHERE (SELECT count(*) FROM module_drift k WHERE k.platform_id = w.platform_id
        AND k.module_id = w.module_id AND k.node = $1 AND k.kind = w.kind) < ${MAX_DRIFT_KEYS}
      OR (SELECT true FROM module_drift k WHERE k.platform_id = w.platform_id
        AND k.module_id = w.module_id AND k.node = $1 AND k.kind = w.kind AND k.key = w.key)
    ON CONFLICT (platform_id, module_id, node, kind, key) DO UPDATE SET
      count = d.count + excluded.count, last_at = excluded.last_at`,
} as const
