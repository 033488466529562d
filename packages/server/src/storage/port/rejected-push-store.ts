import type {
  DriftPolicy,
  Field,
  PushErrorReason,
  RejectedPush,
  RejectedPushGroup,
  RejectedPushState,
} from '@recordhub/protocol'
import type { NewActivity } from '../../domain/activity/activity.ts'
import type { PushErrorCount, PushSource } from '../../domain/activity/push-errors.ts'
import type { WritePosition } from '../../domain/record/replay.ts'
import type { ChangeLog } from './platform-store.ts'

export type NewRejectedPush = {
  platform_id: number
  /** The module of the record; null if the body has none or an invalid one. */
  record_type: string | null
  method: RejectedPush['method']
  code: string
  message: string
  /** Rejections with the same cause are grouped; the message by default. */
  cause?: string
  errors: Record<string, string[]>
  /** JSON text. */
  body: string
  pull_id: number | null
  /** The rejected request; null for a pulled record. */
  request_id: string | null
  /** The position in the sequence of writes of a pulled record or a held push; null for another push, which takes that of its rejection. */
  position: WritePosition | null
  /** The activity entry; null if the rejection is reported elsewhere. */
  activity: NewActivity | null
}

/** Selects rejected pushes; null for any value. */
export type RejectedPushFilter = {
  platform: string | null
  code: string | null
  record_type: string | null
  cause: string | null
}

export type StoredGroup = RejectedPushGroup & { platform_id: number }

/** A rejected push with the values that a replay needs. */
export type ReplayableRejection = {
  rejected_push_id: number
  platform_id: number
  platform_name: string
  record_type: string | null
  method: RejectedPush['method']
  /** When it was last rejected. */
  at: string
  /** JSON text. */
  body: string
  position_seq: number
  /** The fields and the policy of the module; both null if the platform has no module of that type. */
  fields: Field[] | null
  drift_policy: DriftPolicy | null
}

/** The last rejected push of a step, after which the next step continues. */
export type ReplayPosition = Pick<ReplayableRejection, 'position_seq' | 'rejected_push_id'>

export interface RejectedPushStore {
  /**
   * Accepts the rejected records of one cause in the last complete read of their module as exceptions, as long as they stay
   * the same (`keepAccepted`), and logs it with their number.
   * @param acceptance `digest`: of the group that the operator has seen; null opens the group again.
   * @returns `changed` if the group is another one now, and `unknown` if there is none; both change nothing.
   */
  acceptRejections(
    acceptance: { platform: string; cause: string; digest: string | null; by: string },
    log: (count: number) => ChangeLog,
  ): Promise<'stored' | 'changed' | 'unknown'>

  /**
   * Saves rejected pushes with their reasons.
   *
   * - The same rejection of the same body for the same module is saved once, with a count, the last pull or request
   *   that was rejected, and its last position. If it was replayed, a push becomes pending again, and a pulled record does not.
   * - Each platform has `quotaBytes` for its bodies. The oldest ones are deleted first, and none that was held and waits:
   *   if those leave no room, a further held push is not saved, and counts as rejected. If another body is larger than
   *   the quota, only its size is saved.
   * - The counter `rejected` counts each push, except held ones that are saved. It counts a pulled record once, however many pulls reject it.
   * - Nothing is saved, and no activity entry is written, if the body names an erased record (`findReferences`) or has
   *   too many texts to check for one, or if the platform was removed. A held push names only its own record.
   * @returns of each push, in their order: false for a held one without room, which must not be acknowledged.
   */
  saveRejectedPushes(
    rejected: NewRejectedPush[],
    options: { at: string; day: string; quotaBytes: number },
  ): Promise<boolean[]>

  /**
   * Returns at most `limit` rejected pushes, newest first, with at most `maxBytes` of bodies, but at least one. `before`
   * is the position (`at`, `id`) of the last one of the previous page.
   */
  listRejectedPushes(
    query: RejectedPushFilter & {
      state: RejectedPushState | null
      /** Only those that this pull rejected, even if a later pull rejected them again. */
      pull_id: number | null
      /** Only the one whose last request was this. */
      request_id: string | null
      /** Only those whose last rejection was at this time or later. */
      since: string | null
      limit: number
      maxBytes: number
      before: { at: string; id: number } | null
    },
  ): Promise<{ rejected_pushes: RejectedPush[]; has_more: boolean }>

  /** Returns a rejected push in any state; null if it does not exist or its platform is being removed. */
  readRejectedPush(rejectedPushId: number): Promise<RejectedPush | null>

  /**
   * Returns the pending rejections grouped by platform and cause, the most recent first; with `withoutHeld`, without what
   * holds have kept out of accepted pushes. Reads no bodies.
   */
  listGroups(query: {
    platform: string | null
    withoutHeld?: boolean
    limit: number
  }): Promise<StoredGroup[]>

  /** Returns a rejected push in any state, to be replayed; null if it does not exist. */
  readReplayable(rejectedPushId: number): Promise<ReplayableRejection | null>

  /**
   * Returns the next pending rejections in the order of their positions: at most `limit`, with at most `maxBytes` of
   * bodies, but at least one.
   * @param query.until the last position that is selected; null for all.
   * @returns `remaining`: the number of selected rejections after the step.
   */
  listReplayable(
    query: RejectedPushFilter & {
      limit: number
      maxBytes: number
      after: ReplayPosition | null
      until: ReplayPosition | null
    },
  ): Promise<{ rejections: ReplayableRejection[]; remaining: number }>

  /**
   * Deletes at most `limit` of the selected rejected pushes that were last rejected by `until` (RFC 3339 in UTC), in any
   * state, and logs it if there are any.
   * @returns the number of deleted rejected pushes; less than `limit` at the end.
   */
  dismissRejectedPushes(
    query: RejectedPushFilter & { id: number | null; until: string; limit: number },
    at: string,
    log: ChangeLog | null,
  ): Promise<number>
}

/** An address from which a platform has pushed with a valid key. */
export type PushAddress = { platform_id: number; address: string; at: string }

/** Maximum number of addresses stored per platform, the most recently used ones. */
export const MAX_PUSH_ADDRESSES = 20

export type StoredPushError = PushErrorCount & { push_error_id: number }

export interface PushErrorStore {
  /**
   * Adds to the stored counts, and saves addresses, in one transaction. The counts of several processes are summed. An
   * hour has at most `MAX_PUSH_SENDERS` rows with a sender; requests of other senders are added to one row per reason and
   * platform (if the key was valid).
   */
  addPushErrors(counts: PushErrorCount[], addresses: PushAddress[]): Promise<void>

  /**
   * Returns counts with an id below `before`, newest first.
   * @param query.request_id selects the counts whose last request was this.
   * @param query.source selects the counts that `matchSource` assigns to this platform.
   */
  listPushErrors(query: {
    reason: PushErrorReason | null
    source: PushSource | null
    request_id: string | null
    limit: number
    before: number | null
  }): Promise<StoredPushError[]>

  /** Returns all counts of a range of hours, both ends included (`2026-11-21T07`, UTC), in no particular order. */
  readPushErrors(from: string, to: string): Promise<PushErrorCount[]>

  /** Returns the key hints and addresses of every registered platform, including revoked keys. */
  listPushSources(): Promise<PushSource[]>
}
