import type { PushErrorMatch, PushErrorReason } from '@recordhub/protocol'

export const REASONS: Readonly<Record<PushErrorReason, string>> = {
  key_missing: 'No API key',
  key_invalid: 'Invalid API key',
  invalid_json: 'Malformed JSON',
  unsupported_media_type: 'Content-Type is not JSON',
  body_too_large: 'Body too large',
}

/** Why a platform is shown beside a sender. */
export const MATCHES: Readonly<Record<PushErrorMatch, string>> = {
  key: 'valid key',
  key_prefix: 'same key prefix',
  address: 'same address',
}
