import type { HistoryEntry } from '@recordhub/protocol'
import type { Drift } from '../../domain/record/drift.ts'
import type {
  NewerWrite,
  PulledContent,
  PushedContent,
  ReadContext,
} from '../../domain/record/record.ts'
import type { ReplayedContent, WritePosition } from '../../domain/record/replay.ts'
import type { RevertedContent } from '../../domain/revert/decide-revert.ts'
import type { RefusedPath } from '../../domain/revert/hold.ts'
import type { IdBitset } from '../../lib/collections/id-bitset.ts'
import type { RecordListStore, RecordRow } from './record-list-store.ts'

export type {
  ListScope,
  NamedScope,
  Position,
  RecordPage,
  RecordQuery,
  RecordRow,
  ScopeQuery,
} from './record-list-store.ts'

/** How the data differ from the manifest; left out if they do not. */
type WithDrift = { drift?: Drift }

/** A push that was authenticated by a hub API key. */
export type PushWrite = WithDrift & {
  platform_id: number
  record_type: string
  reference_number: string
  content: PushedContent
  hub_key_id: number
  request_id: string
}

/** Identifies a read: its module and its pull. */
export type ReadRef = { pull_id: number; platform_id: number; module_id: number }

/** The read that pulled records belong to; all of its writes share one object. */
export type RecordRead = ReadContext &
  ReadRef & {
    /** The ids of records that the read has contained. The engine adds each id and rejects duplicates. */
    seen: IdBitset
    /** The ids of records that the read has contained, and that remain missing, as by a hold. */
    stillMissing: IdBitset
  }

/** A record that a read contained. */
export type PullWrite = WithDrift & {
  reference_number: string
  content: PulledContent
  read: RecordRead
}

/** A rejected push or record that an operator replays. */
export type ReplayWrite = WithDrift & {
  platform_id: number
  record_type: string
  reference_number: string
  content: ReplayedContent
  request_id: string
  replay: {
    rejected_push_id: number
    /** Whether the replay overwrites newer values. */
    overwrite: boolean
    /** Whether an edit names another record than the rejected push; left out if not. */
    names_other?: true
    actor: string
  }
}

/** An element of a response that was not parsed: the reference that its text seems to have, and the hash of its bytes. */
type ElementFingerprint = { reference_number: string; fingerprint: string }

/** What a revert makes of a record, decided on the state after the change `change_seq`. */
export type RevertWrite = WithDrift & {
  platform_id: number
  record_type: string
  reference_number: string
  content: RevertedContent
  revert: {
    revert_id: number
    /** The process that runs the revert. */
    owner: string
    change_seq: number
    creates: boolean
    /** The holds to make; none for a revert of a revert. */
    refused: RefusedPath[]
    /** The revert whose holds end; null for none. */
    ends_holds_of: number | null
  }
}

export type RecordWrite = PushWrite | PullWrite | ReplayWrite | RevertWrite

/**
 * `at`: RFC 3339 in UTC. `day`: the calendar day of `at` in the hub's time zone. `maxRecordKeys`: the maximum number of
 * keys at the top level of a record to which a write adds keys.
 */
export type WriteBatch = { at: string; day: string; maxRecordKeys: number; writes: RecordWrite[] }

export type WriteRejection =
  | 'api_key_invalid'
  | 'module_not_registered'
  | 'pull_not_running'
  | 'record_not_storable'
  | 'too_many_keys'
  | 'not_found'
  | 'already_replayed'
  | 'module_being_pulled'
  | 'platform_inactive'
  | 'record_erased'
  | 'revert_not_running'
  | 'record_changed'
  | 'held'

export type WriteOutcome =
  | {
      /** `held`: nothing has changed, because a revert has taken back what the write contains. */
      outcome: 'created' | 'updated' | 'unchanged' | 'stale' | 'held'
      record_id: number
      module_name: string
      /** Whether holds have kept a part of the write out; left out if not. */
      is_held?: true
      /** Of a held push, with which it is saved; left out for every other write. */
      position?: WritePosition
      /** What a stale push lost against; left out for every other outcome. */
      newer?: NewerWrite
      /**
       * Of a pulled record: only its version has changed, or only its content although its version has not
       * (`findChangedAlone`). Left out otherwise.
       */
      changed_alone?: 'version' | 'content'
      /** Of a replay that updates its record: how many of its values. Left out otherwise. */
      changed_values?: number
    }
  | { outcome: 'rejected'; code: WriteRejection }
  /** `record_id`: the record that the read has already contained. */
  | { outcome: 'rejected'; code: 'duplicate_reference'; record_id: number }

export type HistoryRow = {
  change_seq: number
  at: string
  source: HistoryEntry['source']
  /** JSON text: a list of `{path, before?, after?}`. */
  changes: string
  pull_id: number | null
  request_id: string | null
  revert_id: number | null
}

export interface RecordStore extends RecordListStore {
  /**
   * Applies writes in their order. For each, it loads the stored record, decides (`domain/record/record.ts`), and
   * saves the record, its history entry, the counters (those of drift only if the record is new or has changed) and,
   * for a push or a replay, an activity entry. The batch is one transaction, which is durable when the promise
   * resolves: a later crash loses nothing, an earlier crash leaves nothing behind. If the stored records are too large to
   * be loaded at once, it is several: after an error or a crash, the first writes may be stored.
   *
   * The same transaction checks the authorization of each write and rejects only the writes that fail it:
   * - a push needs a hub key that is neither revoked nor expired, an active platform and a registered module;
   * - a pulled record needs a running pull, an active platform and a registered module;
   * - a replay needs an existing rejected push (`not_found`) that was not replayed yet (`already_replayed`; a `stale`
   *   one may be replayed with `overwrite`), an active platform (`platform_inactive`) and a registered module. Without
   *   `overwrite`, the running pull must not be reading that module if the record is as a pull left it
   *   (`module_being_pulled`): the pull may have found the record unchanged already. An accepted replay is recorded in
   *   its rejected push, so that only one of several concurrent replays succeeds.
   *
   * A record that was erased or anonymised is not stored again while its tombstone exists (`record_erased`). Its
   * anonymised remains count as seen by the read.
   *
   * Holds (`domain/revert/hold.ts`) are read in the same transaction. A write whose values a revert has taken back leaves
   * them as they are (`is_held`), and is `held` if it changes nothing else. A whole write with other values ends the
   * holds. A replay of a held push to its own record ends all holds of that; any other replay is rejected if they would keep a part of
   * it out (`held`).
   *
   * A write of a revert needs the running revert of its owner (`revert_not_running`), and a record that has not changed
   * since the decision (`record_changed`). It counts as a push in the order of writes. It ends earlier holds that refuse what
   * it makes of the record. The record of the revert, its history entry and its holds are in the same transaction.
   *
   * A write that would leave a stored record with more than `maxRecordKeys` keys is rejected (`too_many_keys`). If the
   * database rejects a write (`record_not_storable`), the other writes of the batch are stored. A record that
   * its read has already contained is rejected (`duplicate_reference`, with its id); the first one is stored. An id is
   * added to `read.seen` only after its write is committed.
   *
   * A batch that changes nothing writes nothing and waits for no fsync.
   *
   * Idempotent for records: repeating a batch does not change them. Not idempotent for history and activity.
   * @returns an outcome for each write, in their order.
   * @throws HubError `storage_unavailable` if the database cannot be written; nothing of that transaction is then stored.
   */
  applyWrites(batch: WriteBatch): Promise<WriteOutcome[]>

  /** Returns the outcomes that `applyWrites` would return now. Writes nothing. */
  tryWrites(batch: WriteBatch): Promise<WriteOutcome[]>

  /**
   * Finds elements of a read that need neither be parsed nor written, because the stored record was last written from
   * the same bytes and has not changed since (`isUnchanged`). Finds none if the pull must not write. Does not change
   * `read.seen`.
   * @returns the id of the unchanged record for each element, or null.
   */
  findUnchanged(read: RecordRead, elements: ElementFingerprint[]): Promise<(number | null)[]>

  /** Returns null for an unknown id. Records of a platform that is being removed are returned until they are deleted. */
  readRecord(recordId: number): Promise<RecordRow | null>

  /**
   * Returns the changes of a record with numbers below `before`, newest first: at most `limit` entries and `maxBytes`
   * of changes, but at least one entry.
   */
  listHistory(query: {
    record_id: number
    limit: number
    maxBytes: number
    before: number | null
  }): Promise<{ entries: HistoryRow[]; has_more: boolean }>
}

/** A record as of its latest change, or its deletion. `change_seq` defines the order. */
export type ChangeRow =
  | {
      change: 'created' | 'updated'
      change_seq: number
      at: string
      record: RecordRow
      /** The revert that made the change; null for any other write. */
      revert_id: number | null
    }
  | {
      change: 'deleted'
      change_seq: number
      at: string
      record_id: number
      platform_name: string
      record_type: string
    }

export type ChangeQuery = {
  platform: string | null
  record_type: string | null
  /** Returns changes with a higher number only; 0 for all. */
  after: number
  limit: number
  /** Maximum size of the records' data in a page; the page has at least one record. */
  maxBytes: number
}

/** `through`: this page and earlier pages contain every matching change up to this number. */
type ChangesPage =
  | { outcome: 'found'; changes: ChangeRow[]; through: number; has_more: boolean }
  /** `after` is higher than every number that was ever allocated. */
  | { outcome: 'beyond' }

/** The feed of changes to records. */
export interface ChangeStore {
  /**
   * Returns the changes after a number, in the order of their numbers. A record appears once, with its latest change;
   * a deleted record appears as its deletion. A consumer that continues from `through` misses no change and gets none
   * twice, however many processes write: a page ends before the numbers of transactions in flight. Unknown names
   * return an empty page. Changes of a platform that is being removed are left out, except for the deletions of its
   * records, so a page may be empty although there are more changes.
   */
  listChanges(query: ChangeQuery): Promise<ChangesPage>
}
