import type { HistoryEntry } from '@recordhub/protocol'
import type { Drift } from '../../domain/record/drift.ts'
import type { PulledContent, PushedContent, ReadContext } from '../../domain/record/record.ts'
import type { ReplayedContent } from '../../domain/record/replay.ts'
import type { IdBitset } from '../../lib/collections/id-bitset.ts'
import type { RecordListStore, RecordRow } from './record-list-store.ts'

export type { Position, RecordPage, RecordQuery, RecordRow } from './record-list-store.ts'

/** What a record's data says otherwise than the manifest; left out where it says nothing so. */
type Drifting = { drift?: Drift }

/** A push that came with a hub API key. */
export type PushWrite = Drifting & {
  platform_id: number
  record_type: string
  reference_number: string
  content: PushedContent
  hub_key_id: number
  request_id: string
}

/** The module that a read is of, and the pull that it is made for. */
export type ReadRef = { pull_id: number; platform_id: number; module_id: number }

/** A read that pulled records come from; one object for all of its writes. */
export type RecordRead = ReadContext &
  ReadRef & {
    /** The ids that this read has met: the engine adds each one that it writes, and rejects one that comes again. */
    seen: IdBitset
  }

/** An element of a read, which says where it belongs. */
export type PullWrite = Drifting & {
  reference_number: string
  content: PulledContent
  read: RecordRead
}

/** What was refused before, and is written now as an operator asks. */
export type ReplayWrite = Drifting & {
  platform_id: number
  record_type: string
  reference_number: string
  content: ReplayedContent
  request_id: string
  replay: {
    rejected_push_id: number
    /** Whether it is written over what is newer than it. */
    overwrite: boolean
    actor: string
  }
}

/** An element of a read as it came: the reference that it seems to bear, and the hash of its bytes. */
type ElementSighting = { reference_number: string; source_hash: string }

export type RecordWrite = PushWrite | PullWrite | ReplayWrite

/** `at`: RFC 3339 in UTC. `day`: the calendar day of `at` in the hub's time zone. */
export type WriteBatch = { at: string; day: string; writes: RecordWrite[] }

export type WriteRejection =
  | 'api_key_invalid'
  | 'module_not_registered'
  | 'pull_not_running'
  | 'record_not_storable'
  | 'not_found'
  | 'already_replayed'
  | 'platform_inactive'
  | 'record_erased'

export type WriteOutcome =
  | {
      outcome: 'created' | 'updated' | 'unchanged' | 'stale'
      record_id: number
      module_name: string
    }
  | { outcome: 'rejected'; code: WriteRejection }
  /** `record_id`: of the record that the read already contained. */
  | { outcome: 'rejected'; code: 'duplicate_reference'; record_id: number }

export type HistoryRow = {
  change_seq: number
  at: string
  source: HistoryEntry['source']
  /** JSON text: a list of `{path, before?, after?}`. */
  changes: string
  pull_id: number | null
  request_id: string | null
}

export interface RecordStore extends RecordListStore {
  /**
   * Applies writes in their order: for each, loads what is stored, decides (`domain/record/record.ts`) and
   * saves the record, its history entry, the counters (of drift too, where the record is new or has
   * changed) and, for a push or a replay, the line of activity. All of
   * it is one transaction, durable when the promise resolves: a crash after that loses nothing, a
   * crash before it leaves nothing.
   *
   * In the same transaction it checks what allows each write, and rejects it alone where that does
   * not hold: a push needs a hub key that is not revoked or expired, an active platform and a
   * registered module; a pulled record needs a pull that is running, an active platform and a
   * registered module; a replay needs a rejected push that is there (`not_found`) and not replayed yet
   * (`already_replayed`, but a `stale` one may be replayed with `overwrite`), an active platform
   * (`platform_inactive`) and a registered module. A replay that is not rejected marks its rejected push,
   * so that of any number of them at once one does it.
   *
   * A record that was erased or anonymised is not stored again as long as its tombstone stands
   * (`record_erased`). What anonymising left of it counts as met by the read.
   *
   * A write that the database refuses (`record_not_storable`) fails alone; its neighbours are stored.
   * A record that its read has met before is rejected (`duplicate_reference`, with its id) and the first
   * stands.
   * `read.seen` holds an id only once its write is committed.
   *
   * Where nothing changes, nothing is written and nothing is synced.
   *
   * Not idempotent for history and activity, idempotent for records: the same batch again finds
   * every record as it left it.
   * @returns an outcome for each write, in their order.
   * @throws HubError `storage_unavailable` where the database cannot be written at all; nothing of the
   *   batch is stored then.
   */
  applyWrites(batch: WriteBatch): Promise<WriteOutcome[]>

  /** What `applyWrites` would answer at this moment; nothing is written. */
  tryWrites(batch: WriteBatch): Promise<WriteOutcome[]>

  /**
   * Recognises elements of a read that need not be written nor even parsed: the record of that reference
   * was last written by the same bytes, and nothing has happened to it since that this read would settle
   * (`isUnchanged`). Where the read must not write, none is recognised. Leaves `read.seen` as it is.
   * @returns for each sighting its record's id, or null.
   */
  findUnchanged(read: RecordRead, sightings: ElementSighting[]): Promise<(number | null)[]>

  /** Null where there is none. Records of a platform that is being removed are there until their turn has come. */
  readRecord(recordId: number): Promise<RecordRow | null>

  /**
   * The changes of a record, newest first, those before `before` only: at most `limit`, and of their
   * changes no more than `maxBytes`, but one at least.
   */
  listHistory(query: {
    record_id: number
    limit: number
    maxBytes: number
    before: number | null
  }): Promise<{ entries: HistoryRow[]; has_more: boolean }>
}
