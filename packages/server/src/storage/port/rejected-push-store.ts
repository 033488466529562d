import type { RejectedPush } from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity.ts'
import type { RecordReference } from '../../domain/erasure.ts'

export type NewRejectedPush = {
  platform_id: number
  method: RejectedPush['method']
  code: string
  message: string
  errors: Record<string, string[]>
  /** JSON text. */
  body: string
  pull_id: number | null
  /** The record that it is about, as far as it tells. */
  about?: RecordReference | null
  /** A line for the log; null where something else tells of it. */
  activity: NewActivity | null
}

export interface RejectedPushStore {
  /**
   * Keeps what was refused, with its reason. The same refusal of the same body is kept once, with a
   * count, the time of the last and the pull that met it last. Each platform has `quotaBytes` for its bodies: the oldest go first, and of a body larger than
   * that only the size is kept. The counter `rejected` counts each push, and a pulled record once however
   * often it is read. Of a record that was erased, and of a platform that was removed, nothing is kept
   * and no line written.
   */
  keepRejectedPushes(
    rejected: NewRejectedPush[],
    options: { at: string; day: string; quotaBytes: number },
  ): Promise<void>

  /** Newest first; `before` is the place (`at`, `id`) of the last one of the page before. */
  listRejectedPushes(query: {
    platform: string | null
    code: string | null
    /** Those that this pull met, and no later one. */
    pull_id: number | null
    limit: number
    before: { at: string; id: number } | null
  }): Promise<RejectedPush[]>
}
