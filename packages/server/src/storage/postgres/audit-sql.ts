/** The statements of what goes beside the records: history, activity, counters, what is replayed. */
import { MAX_DRIFT_KEYS } from '../shared/counters/counter-deltas.ts'

export const SIDE_SQL = {
  appendHistory: `
    INSERT INTO record_history (platform_id, record_id, change_seq, at, source, changes, pull_id,
      request_id)
    SELECT platform_id, record_id, change_seq, $1, source, changes, pull_id, request_id
    FROM unnest($2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[],
      $8::text[])
      AS w (platform_id, record_id, change_seq, source, changes, pull_id, request_id)`,
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
    INSERT INTO module_counters AS c (node, last_received_at, platform_id, module_id, records,
      pushes)
    SELECT $1, $2, w.* FROM unnest($3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) AS w
    ON CONFLICT (platform_id, module_id, node) DO UPDATE SET records = c.records + excluded.records,
      pushes = c.pushes + excluded.pushes, last_received_at = excluded.last_received_at`,
  findRefusals: `
    SELECT r.rejected_push_id, r.replayed_at, r.replay_outcome, r.position_seq, r.position_at,
      p.platform_id, p.platform_name, p.display_title, p.status
    FROM rejected_pushes r JOIN platforms p ON p.platform_id = r.platform_id
    WHERE r.rejected_push_id = ANY ($1::bigint[])`,
  markReplayed: `
    UPDATE rejected_pushes r SET replayed_at = $1, replayed_by = w.actor,
      replay_outcome = w.outcome, replay_record_id = w.record_id
    FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[])
      AS w (rejected_push_id, actor, outcome, record_id)
    WHERE r.rejected_push_id = w.rejected_push_id`,
  addDrift: `
    INSERT INTO module_drift AS d (node, first_at, last_at, platform_id, module_id, kind, key, count)
    SELECT $1, $2, $2, w.*
    FROM unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[])
      AS w (platform_id, module_id, kind, key, count)
    WHERE (SELECT count(*) FROM module_drift k WHERE k.platform_id = w.platform_id
        AND k.module_id = w.module_id AND k.node = $1 AND k.kind = w.kind) < ${MAX_DRIFT_KEYS}
      OR EXISTS (SELECT 1 FROM module_drift k WHERE k.platform_id = w.platform_id
        AND k.module_id = w.module_id AND k.node = $1 AND k.kind = w.kind AND k.key = w.key)
    ON CONFLICT (platform_id, module_id, node, kind, key) DO UPDATE SET
      count = d.count + excluded.count, last_at = excluded.last_at`,
} as const
