import type { ActivityLevel, ActivityLine, AuditEntry } from '@recordhub/protocol'
import type { NewActivity, NewAuditEntry } from '../../domain/activity.ts'

export interface ActivityStore {
  appendActivity(line: NewActivity): Promise<void>

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

  /** Newest first, those with an id below `before` only. */
  listActivity(query: {
    platform: string | null
    level: ActivityLevel | null
    limit: number
    before: number | null
  }): Promise<ActivityLine[]>
}
