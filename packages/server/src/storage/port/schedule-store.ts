import type { ChangeLog } from './platform-store.ts'

export type SchedulePause = { since: string; actor: string }

export interface ScheduleStore {
  /** Since when the schedule of pulls is paused, and by whom; null where it is not. */
  readPause(): Promise<SchedulePause | null>

  /** Pauses or resumes the schedule on all nodes. To what it is already is no change and is not logged. */
  setPaused(paused: boolean, actor: string, log: ChangeLog): Promise<void>
}
