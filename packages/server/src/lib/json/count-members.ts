import { startsWith } from './key-tree.ts'

const QUOTE = 0x22
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d

/** The bytes of the shortest member, `"":0,`. */
const MIN_MEMBER_BYTES = 5

/**
 * Whether the object in a member of a JSON object has more members than a limit, without parsing the text: the time is
 * that of reading its bytes once, or less. Counts a key that occurs twice as two. The result says nothing about a text that is
 * not valid JSON, and a member whose name has an escape sequence is not found.
 */
export function hasMoreMembers(bytes: Uint8Array, member: string, limit: number): boolean {
  if (bytes.length < MIN_MEMBER_BYTES * limit) return false
  const name = Buffer.from(JSON.stringify(member))
  let depth = 0
  let keyAt = 0
  let isInMember = false
  let members = 0
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]
    if (byte === QUOTE) {
      if (depth === 1) keyAt = at
      at = findStringEnd(bytes, at + 1)
    } else if (byte === COLON) {
      if (depth === 1) {
        isInMember = startsWith(bytes, keyAt, name)
        members = 0
      } else if (depth === 2 && isInMember) {
        members += 1
        if (members > limit) return true
      }
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth += 1
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) depth -= 1
  }
  return false
}

/** The position of the quote that ends a string. */
function findStringEnd(bytes: Uint8Array, from: number): number {
  let at = from
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
