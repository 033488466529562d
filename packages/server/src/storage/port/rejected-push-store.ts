import type {
  DriftPolicy,
  Field,
  RejectedPush,
  RejectedPushGroup,
  RejectedPushState,
} from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { WritePosition } from '../../domain/record/replay.ts'
import type { ChangeLog } from './platform-store.ts'

export type NewRejectedPush = {
  platform_id: number
  /** The module that it was meant for; null where that is not told or cannot be one. */
  record_type: string | null
  method: RejectedPush['method']
  code: string
  message: string
  /** The text by which rejections are grouped into one cause; the message by default. */
  cause?: string
  errors: Record<string, string[]>
  /** JSON text. */
  body: string
  pull_id: number | null
  /** Where an element of a read stands; null for a push, which stands where it is refused. */
  place: WritePosition | null
  /** A line for the log; null where something else tells of it. */
  activity: NewActivity | null
}

/** Which are meant; null for all. */
export type RejectedPushFilter = {
  platform: string | null
  code: string | null
  record_type: string | null
  cause: string | null
}

/** One that may be replayed. */
export type Refusal = {
  rejected_push_id: number
  platform_id: number
  platform_name: string
  record_type: string | null
  method: RejectedPush['method']
  /** JSON text. */
  body: string
  place_seq: number
  /** Of the module; both null where there is none of that type. */
  fields: Field[] | null
  drift_policy: DriftPolicy | null
}

/** The last refusal of a step, from which the next one goes on. */
export type RefusalPosition = Pick<Refusal, 'place_seq' | 'rejected_push_id'>

export interface RejectedPushStore {
  /**
   * Keeps what was refused, with its reason. The same refusal of the same body for the same module is kept once, with a
   * count, the pull that met it last, and stands where it came last; a push that comes again after it was
   * replayed is to be replayed again, an element of a read is not. Each platform has `quotaBytes` for its
   * bodies: the oldest go first, and of a body larger than that only the size is kept. The counter
   * `rejected` counts each push, and a pulled record once however often it is read. Of a body that
   * names an erased record (`findReferences`) or has too many texts to look for one, and of a platform that was
   * removed, nothing is kept and no line written.
   */
  keepRejectedPushes(
    rejected: NewRejectedPush[],
    options: { at: string; day: string; quotaBytes: number },
  ): Promise<void>

  /**
   * Newest first: at most `limit`, and of their bodies no more than `maxBytes`, but one at least. `before` is
   * the place (`at`, `id`) of the last one of the page before.
   */
  listRejectedPushes(
    query: RejectedPushFilter & {
      state: RejectedPushState | null
      /** Those that this pull rejected, whether or not a later pull rejected them again. */
      pull_id: number | null
      limit: number
      maxBytes: number
      before: { at: string; id: number } | null
    },
  ): Promise<{ rejected_pushes: RejectedPush[]; has_more: boolean }>

  /** Replayed or not; null where there is none, or its platform is being removed. */
  readRejectedPush(rejectedPushId: number): Promise<RejectedPush | null>

  /** What is not replayed yet, by platform and cause, those refused last first. Reads no bodies. */
  listGroups(query: { platform: string | null; limit: number }): Promise<RejectedPushGroup[]>

  /** One to be replayed, replayed already or not. */
  readRefusal(rejectedPushId: number): Promise<Refusal | null>

  /**
   * A step through what is not replayed yet, in the order in which it stands: at most `limit`, and of
   * their bodies no more than `maxBytes`, but one at least.
   * @returns `remaining`: how many come after the step.
   */
  listRefusals(
    query: RejectedPushFilter & { limit: number; maxBytes: number; after: RefusalPosition | null },
  ): Promise<{ refusals: Refusal[]; remaining: number }>

  /**
   * Forgets those that are meant and were not refused after `until` (RFC 3339 in UTC), replayed or not: at
   * most `limit` of them, with the lines where there are any.
   * @returns how many; fewer than `limit` at the end.
   */
  dismissRejectedPushes(
    query: RejectedPushFilter & { id: number | null; until: string; limit: number },
    at: string,
    log: ChangeLog | null,
  ): Promise<number>
}
