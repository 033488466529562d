/** The tables of pushes that were not accepted, as Kysely sees them. */
import type { PushErrorReason, RejectedPush, ReplayOutcome } from '@recordhub/protocol'
import type { Generated } from 'kysely'

export type RejectedPushesTable = {
  rejected_push_id: Generated<number>
  platform_id: number
  fingerprint: string
  first_at: string
  at: string
  count: number
  method: RejectedPush['method']
  code: string
  message: string
  errors: string
  body: string
  bytes: number
  pull_id: number | null
  replayed_at: string | null
  record_type: string | null
  cause: string
  place_seq: number
  place_at: string
  replayed_by: string | null
  replay_outcome: ReplayOutcome | null
  replay_record_id: number | null
}

/** `platform_id` 0, `key_hint` '' and `address` '' stand for none. */
export type PushErrorsTable = {
  push_error_id: Generated<number>
  hour: string
  reason: PushErrorReason
  platform_id: number
  key_hint: string
  address: string
  requests: number
  last_at: string
}

export type PushAddressesTable = { platform_id: number; address: string; last_at: string }
