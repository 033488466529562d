/** Takes keys out of what others sent: whoever reads what is kept, logged or shown of it must not learn them. */
import {
  isJsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'

/** Stands where a key was. */
export const REMOVED_KEY = '[key removed]'

/** Keys of the hub, wherever they stand. */
const HUB_KEY = /rh[kt]_[0-9A-Za-z]{16,}/g
const KEY_NAME =
  /^(?:authorization|(?:x[-_]?)?(?:hub[-_]?|platform[-_]?|source[-_]?(?:platform[-_]?)?)?api[-_]?key)$/i
/** What has none of these holds no key, and is not looked through. */
const HINT = /rh[kt]_|authorization|api[-_]?key/i
/** A known key that is shorter is found in any text, and is no secret. */
const SHORTEST = 8

/**
 * @param body JSON text.
 * @param keys what else is known to be a key, such as the one that the platform is asked with.
 * @returns the body as it is, or, where it holds keys, with {@link REMOVED_KEY} in their places.
 */
export function redactKeys(body: string, keys: readonly string[] = []): string {
  const isKnown = keys
    .flatMap(formsOf)
    .some((form) => body.includes(JSON.stringify(form).slice(1, -1)))
  if (!HINT.test(body) && !isKnown) return body
  try {
    return stringifyLossless(redactValue(parseLossless(body), keys))
  } catch (error) {
    // Nested too deeply to be looked through.
    if (error instanceof RangeError || error instanceof SyntaxError) {
      return stringifyLossless(REMOVED_KEY)
    }
    throw error
  }
}

/** A value with {@link REMOVED_KEY} in the places of keys: of the hub's, of `keys`, and of members called so. */
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

/** A text with {@link REMOVED_KEY} in the places of keys: of the hub's, and of `keys` in whatever form they are quoted. */
export function redactText(text: string, keys: readonly string[]): string {
  return keys
    .flatMap(formsOf)
    .reduce(
      (redacted, form) => redacted.replaceAll(form, REMOVED_KEY),
      text.replace(HUB_KEY, REMOVED_KEY),
    )
}

/** As it was sent, and as others write it who quote it. */
function formsOf(key: string): string[] {
  if (key.length < SHORTEST) return []
  const bytes = Buffer.from(key)
  const base64 = bytes.toString('base64').replace(/=+$/, '')
  const base64url = bytes.toString('base64url')
  return [key, encodeURIComponent(key), base64, base64url, bytes.toString('hex')]
}
