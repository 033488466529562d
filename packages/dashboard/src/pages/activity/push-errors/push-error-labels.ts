import type { PushErrorMatch, PushErrorReason } from '@recordhub/protocol'

export const REASONS: Readonly<Record<PushErrorReason, string>> = {
  key_missing: 'No API key',
  key_invalid: 'Invalid API key',
  invalid_json: 'Malformed JSON',
  unsupported_media_type: 'Content-Type is not JSON',
  body_too_large: 'Body too large',
}

/** How a platform was matched to a sender. */
export const MATCHES: Readonly<Record<PushErrorMatch, string>> = {
  key: 'Valid key',
  key_prefix: 'Same key prefix',
  address: 'Same address',
}
