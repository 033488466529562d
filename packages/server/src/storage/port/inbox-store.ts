import type { NewAuditEntry } from '../../domain/activity/activity.ts'
import type { InboxMark } from '../../domain/inbox/inbox.ts'

export interface InboxStore {
  /** Returns what operators put aside. */
  listMarks(): Promise<InboxMark[]>

  /** Puts an item aside, and logs it. Replaces an earlier mark of the same item. */
  saveMark(mark: Omit<InboxMark, 'at'>, audit: NewAuditEntry): Promise<void>

  /** Deletes the mark of an item, and logs it. @returns whether there was one. */
  deleteMark(key: string, audit: NewAuditEntry): Promise<boolean>
}
