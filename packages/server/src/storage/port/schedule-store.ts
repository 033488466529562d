import type { ChangeLog } from './platform-store.ts'

export type SchedulePause = { since: string; actor: string }

export interface ScheduleStore {
  /** Returns when the schedule of pulls was paused, and by whom; null if it is not paused. */
  readPause(): Promise<SchedulePause | null>

  /** Pauses or resumes the schedule on all nodes. If that changes nothing, nothing is logged. */
  setPaused(paused: boolean, actor: string, log: ChangeLog): Promise<void>
}
