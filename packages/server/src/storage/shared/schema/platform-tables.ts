/** Platforms, their modules and keys, and the drift from their manifests. */
import type { ConfirmedBy, DriftPolicy, PlatformStatus, PullMode } from '@recordhub/protocol'
import { id, integer, table, text } from './define-table.ts'

/** The modules that may make the health of their platform worse: those with an error, incompleteness or rejected records. */
export const MODULE_WITH_PROBLEM =
  "last_error IS NOT NULL OR last_read_incomplete_reasons <> '[]' OR rejection_groups <> '[]'"

export const platformTables = {
  /** Values encrypted with the hub's secret. `purpose` is authenticated with the value. */
  secrets: table(
    { secret_id: id(), purpose: text(), ciphertext: text(), created_at: text() },
    {
      indexes: {
        // Hubs that start at the same time must not create two keys for the references of erased records.
        secrets_erasure_key: {
          unique: true,
          on: 'purpose',
          where: "purpose = 'erased references'",
        },
      },
    },
  ),

  platforms: table(
    {
      platform_id: id(),
      platform_name: text().unique(),
      /** The name in the hashes of its erased records; null for a platform that was not renamed. */
      first_name: text().nullable(),
      display_title: text(),
      platform_description: text(),
      source_base_url: text(),
      source_key_secret_id: integer().references('secrets.secret_id'),
      /** Until when the certificate of the address is valid, and when a connection last presented it; null without TLS. */
      certificate_expires_at: text().nullable(),
      certificate_read_at: text().nullable(),
      status: text<PlatformStatus>().check("status IN ('active', 'inactive')"),
      manifest_fetched_at: text(),
      /** When a pull last requested the manifest, whatever the result. */
      manifest_requested_at: text().nullable(),
      last_pulled_at: text().nullable(),
      last_error: text().nullable(),
      rejected_bytes: integer().default(0),
      /** The latest rejected pushes: a JSON array of `RecentRejection`. */
      recent_rejections: text().default('[]'),
      /** Consecutive pulls in which each module of the platform failed; when the first and the last one ended. */
      failures_in_row: integer().default(0),
      failing_since: text().nullable(),
      failed_at: text().nullable(),
      /** When a failing platform last responded correctly outside of pulls. */
      recovered_at: text().nullable(),
      /** Set from the removal of the platform until all of its rows are deleted. */
      removed_at: text().nullable(),
      created_at: text(),
      updated_at: text(),
    },
    { indexes: { platforms_of_title: { on: 'display_title' } } },
  ),

  /**
   * The first name of the last platform with a name, if it is another name, so that one that is registered again under the
   * name is recognised.
   */
  first_names: table(
    { platform_name: text(), first_name: text() },
    { primaryKey: ['platform_name'] },
  ),

  modules: table(
    {
      module_id: id(),
      platform_id: integer().references('platforms.platform_id'),
      record_type: text(),
      module_name: text(),
      description: text(),
      /** A JSON array. */
      fields: text(),
      position: integer(),
      /** Null for a module that the manifest offers and no operator registered. */
      registered_at: text().nullable(),
      /** The last complete read: the write sequence at its first request, the times, and the number of records. */
      last_read_snapshot_seq: integer().nullable(),
      last_read_requested_at: text().nullable(),
      last_read_finished_at: text().nullable(),
      last_read_records: integer().nullable(),
      /** The elements of the last complete read with a body, rejected ones included. */
      last_read_listed: integer().nullable(),
      /** Why the last complete read does not prove the module complete: a JSON array. */
      last_read_incomplete_reasons: text().default('[]'),
      /** The rejected records of the last complete read by cause: a JSON array of `StoredRejectionGroup`. */
      rejection_groups: text().default('[]'),
      /** The counts of the last read of the whole list, or the higher ones of a later task. */
      known_rejected: integer().default(0),
      known_not_listed: integer().default(0),
      /** The last read that proved the module complete, and the number of pushes to the module by then. */
      complete_at: text().nullable(),
      complete_pushes: integer().nullable(),
      /** How the next pull reads the module, if it is requested without a mode. */
      next_pull_mode: text<PullMode>().default('auto'),
      /** When a complete read last received a body, and the last 304 response since; null without one. */
      full_read_at: text().nullable(),
      confirmed_at: text().nullable(),
      confirmed_by: text<ConfirmedBy>().nullable(),
      /**
       * The error of the last read, null if it succeeded; its error or warnings, which are logged once; consecutive failed
       * pulls, and when the first one ended.
       */
      last_error: text().nullable(),
      last_problem: text().nullable(),
      failures_in_row: integer().default(0),
      failing_since: text().nullable(),
      /** The cached response: its validators, and the results of the read that received it; all null if there is none. */
      cached_etag: text().nullable(),
      cached_last_modified: text().nullable(),
      cached_fingerprint: text().nullable(),
      cached_records: integer().nullable(),
      cached_version: integer().nullable(),
      /** The members that the cached response lacked: a JSON array, null for none. */
      cached_missing_members: text().nullable(),
      /** How often something has ended that explained differing buckets, or a record was erased that a bucket may name. */
      digest_epoch: integer().default(0),
      added_at: text().nullable(),
      removed_at: text().nullable(),
      /** Fields that the manifest no longer contains: a JSON array. */
      removed_fields: text().default('[]'),
      drift_policy: text<DriftPolicy>().default('accept'),
      /** Since when drift is counted, if the manifest has changed. */
      drift_since: text().nullable(),
    },
    {
      unique: ['platform_id', 'record_type'],
      indexes: {
        // The health of all platforms is read after each change of one.
        modules_with_problem: { on: 'platform_id', where: MODULE_WITH_PROBLEM },
        // Counts them without reading their rows, which have the manifest.
        modules_registered: { on: 'platform_id', where: 'registered_at IS NOT NULL' },
      },
    },
  ),

  hub_keys: table(
    {
      hub_key_id: id(),
      platform_id: integer().references('platforms.platform_id'),
      key_hash: text().unique(),
      hint: text(),
      secret_id: integer().references('secrets.secret_id'),
      created_at: text(),
      expires_at: text().nullable(),
      revoked_at: text().nullable(),
      last_used_at: text().nullable(),
    },
    { indexes: { hub_keys_of_platform: { on: 'platform_id, hub_key_id' } } },
  ),

  manifest_changes: table(
    { manifest_change_id: id(), platform_id: integer(), at: text(), changes: text() },
    { indexes: { manifest_changes_of_platform: { on: 'platform_id, manifest_change_id' } } },
  ),

  /** Updated in the transaction of the writes that it counts; one row per node. */
  module_drift: table(
    {
      platform_id: integer(),
      module_id: integer(),
      node: text(),
      kind: text<'unknown' | 'absent'>(),
      key: text(),
      count: integer(),
      first_at: text(),
      last_at: text(),
    },
    { primaryKey: ['platform_id', 'module_id', 'node', 'kind', 'key'] },
  ),
}
