import type { PushErrorReason } from '@recordhub/protocol'
import type { PushErrorCount, PushSource } from '../../domain/activity/push-errors.ts'

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
