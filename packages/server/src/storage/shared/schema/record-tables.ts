/** Records, their history and indexes, and the deletion of records. */
import type { ErasureMode, HistoryEntry } from '@recordhub/protocol'
import type { RememberedBucket } from '../../port/digest-store.ts'
import { flag, id, integer, table, text } from './define-table.ts'

export const recordTables = {
  /**
   * Each engine adds the key (platform, module, reference number) and the indexes of the record lists. Keys and
   * indexes begin with the platform, so that the tables can be partitioned or distributed by it.
   */
  records: table(
    {
      record_id: id(),
      platform_id: integer(),
      module_id: integer(),
      reference_number: text().check('octet_length(reference_number) BETWEEN 1 AND 512'),
      full_name: text(),
      /** Lossless JSON. */
      data: text(),
      /** The fingerprint of the bytes last pulled; null since a push, replay or revert. */
      fingerprint: text().nullable(),
      /** The version of the bytes last pulled; null without one, and while `fingerprint` is null or the record missing. */
      version: text().nullable(),
      /** As `hashOfReference`: set at the latest with the first version, and never changed; null while the module has none. */
      reference_hash: integer().nullable(),
      /** As `hashOfVersion`; null while `version` is. */
      version_hash: integer().nullable(),
      incomplete: flag().check('incomplete IN (0, 1)'),
      missing_since: text().nullable(),
      /** Whether the record is missing, or was last, because its creation was reverted, rather than since a read lacked it. */
      taken_back: flag().default(0).check('taken_back IN (0, 1)'),
      /** Whether only remains are left of the record. Outlives the tombstone: no revert may take the remains for what a scope wrote. */
      anonymised: flag().default(0).check('anonymised IN (0, 1)'),
      /** When each field was last set, a JSON object; null unless pushes contain `occurred_at`. */
      field_clocks: text().nullable(),
      /** The write sequence orders pushes, pulls and changes; clocks do not. */
      pushed_seq: integer(),
      pushed_at: text().nullable(),
      pulled_at: text().nullable(),
      change_seq: integer(),
      /** The pull that created the record; null if a push or replay did. */
      created_pull_id: integer().nullable(),
      created_at: text(),
      updated_at: text(),
    },
    {
      indexes: {
        // Partial indexes, since most records match neither condition.
        records_missing: {
          on: 'platform_id, module_id, record_id',
          where: 'missing_since IS NOT NULL',
        },
        records_incomplete: { on: 'record_id', where: 'incomplete = 1' },
        // Contains all columns of finer sums, so that computing them reads no records.
        records_digest: {
          on: 'platform_id, module_id, reference_hash, version_hash',
          where: 'reference_hash IS NOT NULL',
        },
        records_unversioned: {
          on: 'platform_id, module_id, reference_hash',
          where: 'reference_hash IS NOT NULL AND version_hash IS NULL AND missing_since IS NULL',
        },
        records_created_by_pull: {
          on: 'created_pull_id, record_id',
          where: 'created_pull_id IS NOT NULL',
        },
        records_created_by_push: {
          on: 'platform_id, created_at, record_id',
          where: 'created_pull_id IS NULL',
        },
      },
    },
  ),

  /**
   * The number of records with a version and the sum of their hashes, by the first three hex digits of the references'
   * md5. Each transaction that changes records updates it.
   */
  digest_sums: table(
    {
      platform_id: integer(),
      module_id: integer(),
      bucket: integer(),
      count: integer(),
      sum: integer(),
    },
    { primaryKey: ['platform_id', 'module_id', 'bucket'] },
  ),

  /** Buckets that were read and stay different. */
  digest_buckets: table(
    {
      platform_id: integer(),
      module_id: integer(),
      prefix: text(),
      state: text<RememberedBucket['state']>(),
      remote_count: integer(),
      remote_sum: integer(),
      local_count: integer(),
      local_sum: integer(),
      explained: integer(),
      not_stored: integer(),
      rejected: integer(),
      reference_number: text().nullable(),
      version: text().nullable(),
      since: text(),
      at: text(),
    },
    { primaryKey: ['platform_id', 'module_id', 'prefix'] },
  ),

  /** What is known about the versions and digests of a module. */
  module_digests: table({
    module_id: integer().primaryKey(),
    platform_id: integer(),
    verified_at: text().nullable(),
    verified_by: text<'read' | 'digest'>().nullable(),
    verified_records: integer().nullable(),
    verified_of: integer().nullable(),
    verified_explained: integer().nullable(),
    verified_pushes: integer().nullable(),
    withdrawn_at: text().nullable(),
    withdrawn_records: integer().nullable(),
    withdrawn_reference: text().nullable(),
    unversioned: integer().nullable(),
    unsupported_at: text().nullable(),
    unsupported_manifest_hash: text().nullable(),
    unstable_reads: integer().default(0),
    unstable_at: text().nullable(),
    unstable_manifest_hash: text().nullable(),
    asked_at: text().nullable(),
    digest_ms: integer().nullable(),
    digest_failed_at: text().nullable(),
    list_failed_at: text().nullable(),
  }),

  /** One row per change, and none for the first import of a record. */
  record_history: table(
    {
      platform_id: integer(),
      record_id: integer(),
      change_seq: integer(),
      at: text(),
      source: text<HistoryEntry['source']>(),
      changes: text(),
      pull_id: integer().nullable(),
      request_id: text().nullable(),
      revert_id: integer().nullable(),
    },
    {
      primaryKey: ['platform_id', 'record_id', 'change_seq'],
      indexes: {
        record_history_by_change: { on: 'change_seq' },
        record_history_of_pull: { on: 'pull_id, record_id', where: 'pull_id IS NOT NULL' },
        record_history_of_revert: { on: 'revert_id, record_id', where: 'revert_id IS NOT NULL' },
        record_history_of_pushes: {
          on: 'platform_id, at, record_id',
          where: 'pull_id IS NULL AND revert_id IS NULL',
        },
      },
    },
  ),

  /** A deletion is a change with a number of its own; it identifies the record by its id alone. */
  record_deletions: table(
    {
      change_seq: integer().primaryKey(),
      record_id: integer(),
      platform_id: integer(),
      module_id: integer(),
      platform_name: text(),
      record_type: text(),
      at: text(),
    },
    { indexes: { record_deletions_of_platform: { on: 'platform_name, change_seq' } } },
  ),

  /** The number of the last change that each consumer inside the hub has processed. */
  change_feed_positions: table(
    { consumer: text(), position: integer() },
    { primaryKey: ['consumer'] },
  ),

  /**
   * Fields by which lists can be sorted and filtered fast. A new field is backfilled in the background with the
   * records changed up to `backfill_end_seq`; `backfilled_seq` is the progress.
   */
  indexed_fields: table(
    {
      field_id: id(),
      platform_id: integer(),
      module_id: integer(),
      field_key: text(),
      is_numeric: flag(),
      backfilled_seq: integer(),
      backfill_end_seq: integer(),
      /** Its entries are being deleted in the background. */
      is_deleting: flag(),
    },
    { indexes: { indexed_fields_of_module: { on: 'module_id' } } },
  ),

  /** The sort key of each record's value (domain/record/sort-key.ts); null if the record has no value. */
  record_index: table(
    {
      platform_id: integer(),
      field_id: integer(),
      record_id: integer(),
      sort_key: text().nullable(),
    },
    {
      primaryKey: ['platform_id', 'field_id', 'record_id'],
      indexes: { record_index_order: { on: 'platform_id, field_id, sort_key, record_id' } },
    },
  ),

  saved_views: table(
    {
      view_id: id(),
      name: text(),
      query: text(),
      owner: text(),
      is_shared: flag(),
      created_at: text(),
      updated_at: text(),
    },
    { unique: ['owner', 'name'] },
  ),

  /** Identifies records by names, so that a tombstone outlives the removal and new registration of its platform. */
  tombstones: table(
    {
      tombstone_id: id(),
      reference_hash: text().unique(),
      platform_name: text(),
      record_type: text(),
      mode: text<ErasureMode>().check("mode IN ('erase', 'anonymise')"),
      record_id: integer(),
      at: text(),
      actor: text(),
    },
    {
      indexes: {
        tombstones_of_module: { on: 'platform_name, record_type' },
        tombstones_by_record: { on: 'record_id' },
      },
    },
  ),

  /** Removals of a platform, or of the records of one module if `module_id` is set. */
  removals: table(
    {
      removal_id: id(),
      platform_id: integer(),
      module_id: integer().nullable(),
      platform_name: text(),
      platform_title: text(),
      record_type: text().nullable(),
      module_name: text().nullable(),
      records: integer(),
      removed: integer().default(0),
      requested_by: text(),
      requested_at: text(),
      finished_at: text().nullable(),
    },
    {
      indexes: {
        removals_unfinished: {
          unique: true,
          on: 'platform_id, coalesce(module_id, 0)',
          where: 'finished_at IS NULL',
        },
      },
    },
  ),

  /** Platforms whose deleted rows are still in the database's files, with the number of the last deletion. */
  pending_purges: table({ platform_id: integer().primaryKey(), change_seq: integer() }),
}
