import type { ActivityEntry, ActivityLevel, AuditEntry } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'

/** Selects activity entries; a member that is null or omitted matches all. */
export type ActivityFilter = {
  platform?: string | null
  level?: ActivityLevel | null
  /** A kind, or the noun before its dot for all kinds of that noun. */
  kind?: string | null
  record_id?: number | null
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

export interface ActivityStore {
  /** Appends an entry with the current time. */
  appendActivity(entry: NewActivity): Promise<void>

  /** Appends an entry with the current time. Entries are never changed. */
  appendAudit(entry: NewAuditEntry): Promise<void>

  /** Returns entries with an id below `before`, newest first. `from` and `until` are inclusive. */
  listAudit(query: {
    actor: string | null
    action: string | null
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
}
