/** Redacts keys in received texts, before they are stored, logged or shown. */
import {
  isJsonObject,
  type JsonValue,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { trimTrailing } from '@recordhub/protocol/text'

export const REMOVED_KEY = '[key removed]'

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
  return redactForms(body, keys.flatMap(formsOf))
}

/** Removes known keys from many texts and bodies. It computes the forms of the keys once, which takes longer than a search. */
export function createRedactor(keys: readonly string[]) {
  const forms = keys.flatMap(formsOf)
  return {
    redactText: (text: string): string => replaceForms(text, forms),
    redactBody: (body: string): string => redactForms(body, forms),
  }
}

function redactForms(body: string, forms: readonly string[]): string {
  const isKnown = forms.some((form) => body.includes(JSON.stringify(form).slice(1, -1)))
  if (!HINT.test(body) && !isKnown) return body
  try {
    return stringifyLossless(redactMembers(parseLossless(body), forms))
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
  return redactMembers(value, keys.flatMap(formsOf))
}

function redactMembers(value: JsonValue, forms: readonly string[]): JsonValue {
  if (typeof value === 'string') return replaceForms(value, forms)
  if (Array.isArray(value)) return value.map((item) => redactMembers(item, forms))
  if (!isJsonObject(value)) return value
  const members = Object.entries(value).map(([name, member]): [string, JsonValue] => [
    replaceForms(name, forms),
    KEY_NAME.test(name) ? REMOVED_KEY : redactMembers(member, forms),
  ])
  return Object.fromEntries(members)
}

/** Replaces keys of the hub, and `keys` in any encoding, by {@link REMOVED_KEY}. */
export function redactText(text: string, keys: readonly string[]): string {
  return replaceForms(text, keys.flatMap(formsOf))
}

function replaceForms(text: string, forms: readonly string[]): string {
  return forms.reduce(
    (redacted, form) => redacted.replaceAll(form, REMOVED_KEY),
    text.replace(HUB_KEY, REMOVED_KEY),
  )
}

/** A key in the encodings in which a response may quote it, complete encodings before those within another text. */
function formsOf(key: string): string[] {
  if (key.length < MIN_KEY_LENGTH) return []
  const bytes = Buffer.from(key)
  const percent = encodeURIComponent(key)
  const lowerPercent = percent.replaceAll(/%[\dA-F]{2}/g, (code) => code.toLowerCase())
  const hex = bytes.toString('hex')
  const whole = trimTrailing(bytes.toString('base64'), '=')
  const base64 = [whole, ...[0, 1, 2].map((offset) => base64Within(bytes, offset))]
  const base64url = base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  const forms = [key, percent, lowerPercent, hex, hex.toUpperCase(), ...base64, ...base64url]
  return [...new Set(forms)]
}

/** The characters of base64 that only the key determines, where the key follows other bytes and others follow it. */
function base64Within(key: Buffer, bytesBefore: number): string {
  const encoded = Buffer.concat([Buffer.alloc(bytesBefore), key]).toString('base64')
  const bitsBefore = bytesBefore * 8
  return encoded.slice(Math.ceil(bitsBefore / 6), Math.floor((bitsBefore + key.length * 8) / 6))
}
