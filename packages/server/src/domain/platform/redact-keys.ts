/** Redacts keys in received texts, before they are stored, logged or shown. */
import {
  isJsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { trimTrailing } from '@recordhub/protocol/text'

/** Replaces a key. */
export const REMOVED_KEY = '[key removed]'

/** Keys of the hub. */
const HUB_KEY = /rh[kt]_[0-9A-Za-z]{16,}/g
const KEY_NAME =
  /^(?:authorization|(?:x[-_]?)?(?:hub[-_]?|platform[-_]?|source[-_]?(?:platform[-_]?)?)?api[-_]?key)$/i
/** A body without a match contains no key, and is not searched further. */
const HINT = /rh[kt]_|authorization|api[-_]?key/i
/** A shorter key would match parts of any text. */
const MIN_KEY_LENGTH = 8

/**
 * @param body JSON text.
 * @param keys other known keys, such as the source API key of the platform.
 * @returns the body with {@link REMOVED_KEY} instead of each key; unchanged if it contains no key.
 */
export function redactKeys(body: string, keys: readonly string[] = []): string {
  const isKnown = keys
    .flatMap(formsOf)
    .some((form) => body.includes(JSON.stringify(form).slice(1, -1)))
  if (!HINT.test(body) && !isKnown) return body
  try {
    return stringifyLossless(redactValue(parseLossless(body), keys))
  } catch (error) {
    // The body is nested too deeply to be searched.
    if (error instanceof RangeError || error instanceof SyntaxError) {
      return stringifyLossless(REMOVED_KEY)
    }
    throw error
  }
}

/** Replaces keys of the hub, `keys`, and the values of members with the name of a key by {@link REMOVED_KEY}. */
export function redactValue(value: JsonValue, keys: readonly string[]): JsonValue {
  if (typeof value === 'string') return redactText(value, keys)
  if (Array.isArray(value)) return value.map((item) => redactValue(item, keys))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    redactText(name, keys),
    KEY_NAME.test(name) ? REMOVED_KEY : redactValue(member, keys),
  ])
  return Object.fromEntries(members)
}

/** Replaces keys of the hub, and `keys` in any encoding, by {@link REMOVED_KEY}. */
export function redactText(text: string, keys: readonly string[]): string {
  return keys
    .flatMap(formsOf)
    .reduce(
      (redacted, form) => redacted.replaceAll(form, REMOVED_KEY),
      text.replace(HUB_KEY, REMOVED_KEY),
    )
}

/** A key in the encodings in which a response may quote it. */
function formsOf(key: string): string[] {
  if (key.length < MIN_KEY_LENGTH) return []
  const bytes = Buffer.from(key)
  const base64 = trimTrailing(bytes.toString('base64'), '=')
  const base64url = bytes.toString('base64url')
  return [key, encodeURIComponent(key), base64, base64url, bytes.toString('hex')]
}
