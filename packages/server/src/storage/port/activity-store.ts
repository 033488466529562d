import type { ActivityLevel, ActivityLine, AuditEntry } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity/activity.ts'

/** Which lines are meant; what is null or left out holds for all. */
export type ActivityFilter = {
  platform?: string | null
  level?: ActivityLevel | null
  /** A kind, or the noun before its dot for all of them. */
  kind?: string | null
  record_id?: number | null
  /**
   * Each stands in the message, the actor or the details (their JSON text); of A to Z in either case, else
   * as it is.
   */
  words?: readonly string[]
  /** RFC 3339 in UTC, these instants included. */
  since?: string | null
  until?: string | null
}

export type ActivityLines = {
  lines: ActivityLine[]
  /** `before` of the page that follows; null at the end. */
  next: number | null
  /** False where the time was over before the page was full. */
  complete: boolean
}

export interface ActivityStore {
  /** Writes a line, with the time at which it does. */
  appendActivity(line: NewActivity): Promise<void>

  /** Writes an entry, with the time at which it does. None is ever changed. */
  appendAudit(entry: NewAuditEntry): Promise<void>

  /** Newest first, those with an id below `before` only; `from` and `until` bound their time, both included. */
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
   * Newest first, those with an id below `before` only. Where a filter makes it look through many lines, it
   * does so in steps between which others have a turn, and leaves off after `scan_ms` (2,000 where it is
   * left out), though not before its first step. Nothing is counted.
   */
  listActivity(
    query: ActivityFilter & { limit: number; before: number | null; scan_ms?: number },
  ): Promise<ActivityLines>
}
