/** Takes keys out of what is kept of a refused body: whoever may read it must not learn them. */
import { isJsonObject, type JsonValue, parseExact, stringifyExact } from '../lib/exact-json.ts'

/** Stands where a key was. */
export const REMOVED_KEY = '[key removed]'

/** Keys of the hub, wherever they stand. */
const HUB_KEY = /rh[kt]_[0-9A-Za-z]{16,}/g
const KEY_NAME =
  /^(?:authorization|(?:x[-_]?)?(?:hub[-_]?|platform[-_]?|source[-_]?(?:platform[-_]?)?)?api[-_]?key)$/i
/** What has none of these holds no key, and is not looked through. */
const HINT = /rh[kt]_|authorization|api[-_]?key/i

/**
 * @param body JSON text.
 * @param keys what else is known to be a key, such as the one that the platform is asked with.
 * @returns the body as it is, or, where it holds keys, with {@link REMOVED_KEY} in their places.
 */
export function redactKeys(body: string, keys: readonly string[] = []): string {
  const known = keys.filter((key) => key !== '' && body.includes(JSON.stringify(key).slice(1, -1)))
  if (!HINT.test(body) && known.length === 0) return body
  try {
    return stringifyExact(redactValue(parseExact(body), known))
  } catch (error) {
    // Nested too deeply to be looked through.
    if (error instanceof RangeError || error instanceof SyntaxError) {
      return stringifyExact(REMOVED_KEY)
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

function redactText(text: string, keys: readonly string[]): string {
  return keys.reduce(
    (redacted, key) => redacted.replaceAll(key, REMOVED_KEY),
    text.replace(HUB_KEY, REMOVED_KEY),
  )
}
