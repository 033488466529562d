/**
 * Compares and changes objects in the stored form (`stored-form.ts`) by their texts. Parsing takes ten times as long for
 * large values, and most differences show in the texts.
 */
import { findClosingQuote, isEqualJson, parseLossless } from '@recordhub/protocol/lossless-json'

/** The texts of an object's values by their keys, in their order. */
export type MemberTexts = ReadonlyMap<string, string>

const QUOTE = 0x22
const COMMA = 0x2c
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** @param text an object in the stored form. */
export function readMemberTexts(text: string): MemberTexts {
  const members = new Map<string, string>()
  for (let at = 1; text.charCodeAt(at) === QUOTE; ) {
    const colon = findClosingQuote(text, at + 1) + 1
    const end = findEnd(text, colon + 1)
    const key = text.slice(at + 1, colon - 1)
    members.set(key.includes('\\') ? JSON.parse(`"${key}"`) : key, text.slice(colon + 1, end))
    at = end + 1
  }
  return members
}

/** Writes an object in the stored form. An object lists the keys that are array indexes first. */
export function formatMembers(members: MemberTexts): string {
  const keys = Object.keys(Object.fromEntries(members))
  return `{${keys.map((key) => `${JSON.stringify(key)}:${members.get(key)}`).join()}}`
}

/** Whether two values in the stored form are equal to the hub; `undefined` is no value. */
export function isSameText(one: string | undefined, other: string | undefined): boolean {
  if (one === other) return true
  if (one === undefined || other === undefined) return false
  // Equal values differ at most in the order of keys, so they consist of the same characters.
  if (one.length !== other.length || !one.includes('{')) return false
  if (sumOfCharacters(one) !== sumOfCharacters(other)) return false
  return isEqualJson(parseLossless(one), parseLossless(other))
}

function sumOfCharacters(text: string): number {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) sum += text.charCodeAt(at)
  return sum
}

/** Finds the position after a value within an object. */
function findEnd(text: string, start: number): number {
  let depth = 0
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = findClosingQuote(text, at + 1)
      if (at < 0) break
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth += 1
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth === 0) return at
      depth -= 1
    } else if (code === COMMA && depth === 0) return at
  }
  throw new Error('The data of a record are not in the stored form')
}
