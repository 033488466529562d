import type { ActivityEntry, ActivityLevel, AuditEntry } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'
import type { PushSource } from '../../domain/activity/push-errors.ts'
import type {
  EncodedRequest,
  LoggedRequest,
  RequestDetails,
  RequestLine,
} from '../../domain/activity/request-log.ts'

/** Selects activity entries; a member that is null or omitted matches all. */
export type ActivityFilter = {
  platform?: string | null
  level?: ActivityLevel | null
  /** A kind, or the noun before its dot for all kinds of that noun. */
  kind?: string | null
  record_id?: number | null
  /** Only entries with an actor. */
  by?: 'operator' | null
  /** Each word must occur in the message, the actor or the details (as JSON text), ignoring the case of A to Z. */
  terms?: readonly string[]
  /** RFC 3339 in UTC, inclusive. */
  since?: string | null
  until?: string | null
}

export type ActivityEntries = {
  entries: ActivityEntry[]
  /** `before` of the next page; null at the end. */
  next: number | null
  /** False if the time limit was reached before the page was full. */
  complete: boolean
}

/** A minute is named `2026-11-21T07:05` (UTC). */
export type PushesOfMinute = { minute: string; accepted: number; rejected: number }

export interface ActivityStore {
  /** Appends an entry with the current time. */
  appendActivity(entry: NewActivity): Promise<void>

  /** Appends an entry with the current time. Entries are never changed. */
  appendAudit(entry: NewAuditEntry): Promise<void>

  /** Returns entries with an id below `before`, newest first. `from` and `until` are inclusive. */
  listAudit(query: {
    actor: string | null
    action: string | null
    /** Only entries of one of these actions. */
    actions: readonly string[] | null
    target: string | null
    from: string | null
    until: string | null
    limit: number
    before: number | null
  }): Promise<AuditEntry[]>

  /**
   * Returns entries with an id below `before`, newest first. A filter may have to read many entries. It does so in
   * steps, between which other work runs, and stops after `scan_ms` (2,000 by default), but not before its first step.
   * Entries are not counted.
   */
  listActivity(
    query: ActivityFilter & { limit: number; before: number | null; scan_ms?: number },
  ): Promise<ActivityEntries>

  /**
   * Counts the pushes of each minute from that of `since` on, in no particular order; minutes without pushes are left
   * out. Reads the activity backwards from its end, as `listActivity` does, and stops after `scan_ms` (2,000 by default).
   * `from` is the first minute of which every push was read: later than that of `since` if the time did not suffice, or
   * if the entries had been deleted.
   */
  countPushesByMinute(query: {
    since: string
    scan_ms?: number
  }): Promise<{ from: string; minutes: PushesOfMinute[] }>
}

/** Selects logged requests; null for any value. */
export type RequestFilter = {
  /** Those that `matchSource` assigns to this platform. */
  source: PushSource | null
  record_type: string | null
  status: { min: number; max: number } | null
  request_id: string | null
  /** RFC 3339 in UTC, both included. */
  since: string | null
  until: string | null
}

export type StoredRequest = Omit<RequestLine, 'platform_id'> & {
  id: number
  platform_name: string | null
}

/** A step of a read. `next` is the position at which the next step continues; null at the end of the log. */
type Step<Found> = Found & { next: number | null }

export interface RequestStore {
  /**
   * Saves requests in their order, in one transaction that a power failure may undo, and deletes the oldest ones above
   * `maxBytes` (`sizeOf`), as far as all that were saved together are above it. They are visible in the order of their
   * ids, in all processes. Accepted ones without details may be encoded.
   *
   * - A request of a platform that was removed is not saved.
   * - The details and the reference of a request are not saved if they name an erased record (`findReferences`). A
   *   request whose record was erased within the last hour is not saved at all: it waited since before the erasure.
   */
  saveRequests(
    requests: readonly (LoggedRequest | EncodedRequest)[],
    maxBytes: number,
  ): Promise<void>

  /**
   * Reads the next requests that match a filter, at most `limit`, from a bounded part of the log: with `newest` those
   * before the position `start`, newest first; with `oldest` those after it, oldest first.
   * @param query.start null begins at the newest request, or at the oldest one.
   */
  scanRequests(
    query: RequestFilter & { order: 'newest' | 'oldest'; start: number | null; limit: number },
  ): Promise<Step<{ requests: StoredRequest[] }>>

  /** Counts requests by the first digit of their status, from the newest one in steps, as `scanRequests` reads them. */
  countRequests(
    query: RequestFilter & { start: number | null },
  ): Promise<Step<{ counts: Record<string, number> }>>

  /** Returns the position of the request that was logged last; 0 if there has been none. */
  readNewestPosition(): Promise<number>

  /** Returns a request with its details; null if it is not stored. */
  readRequest(id: number): Promise<(StoredRequest & { details: RequestDetails | null }) | null>
}
