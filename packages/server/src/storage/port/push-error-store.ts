import type { PushErrorReason } from '@recordhub/protocol'
import type { PushErrorCount, PushSource } from '../../domain/activity/push-errors.ts'

/** An address from which a platform has pushed with a valid key. */
export type PushAddress = { platform_id: number; address: string; at: string }

/** Maximum number of addresses that are stored of a platform: those used last. */
export const MAX_PUSH_ADDRESSES = 20

export type StoredPushError = PushErrorCount & { push_error_id: number }

export interface PushErrorStore {
  /**
   * Adds counts to those that are stored, and records addresses, in one transaction. The counts of several processes
   * add up. An hour has at most `MAX_PUSH_SENDERS` rows with a sender; what other senders sent is added to one row for
   * each reason, and for each platform whose key was valid. Writes nothing where nothing is given.
   */
  addPushErrors(counts: PushErrorCount[], addresses: PushAddress[]): Promise<void>

  /**
   * Newest first, those with an id below `before` only.
   * @param query.source leaves those that `matchSource` finds to be of this platform.
   */
  listPushErrors(query: {
    reason: PushErrorReason | null
    source: PushSource | null
    limit: number
    before: number | null
  }): Promise<StoredPushError[]>

  /** All counts of the hours from one up to and with another (`2026-11-21T07`, UTC), in no order. */
  readPushErrors(from: string, to: string): Promise<PushErrorCount[]>

  /** What is known of the pushes of every registered platform. Keys that were revoked count too. */
  listPushSources(): Promise<PushSource[]>
}
