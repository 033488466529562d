/**
 * Parameters of the write path: arrays in PostgreSQL's binary form (`array_send`). In the text form of an array, the hub
 * escapes and the server unescapes each quote of a JSON text, which takes longer than storing the record.
 */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const INT8_BYTES = 8
const TEXT_TYPE = 25
const INT8_TYPE = 20
const TWO_32 = 2 ** 32

/** A `text[]` parameter of texts or their UTF-8. They must contain neither U+0000 nor a lone surrogate. */
export function textArray(values: readonly (string | Uint8Array | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const total = sizes.reduce((sum, size) => sum + size, 0)
  const array = allocate(values.length, total, TEXT_TYPE)
  let at = HEADER_BYTES
  for (const [index, value] of values.entries()) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
      continue
    }
    at = array.writeInt32BE(sizes[index] ?? 0, at)
    if (typeof value === 'string') array.write(value, at)
    else array.set(value, at)
    at += sizes[index] ?? 0
  }
  return array
}

/** A `bigint[]` parameter of safe integers. */
export function bigintArray(values: readonly (number | null)[]): Buffer {
  const numbers = values.reduce<number>((count, value) => count + (value === null ? 0 : 1), 0)
  const array = allocate(values.length, numbers * INT8_BYTES, INT8_TYPE)
  let at = HEADER_BYTES
  for (const value of values) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
      continue
    }
    at = array.writeInt32BE(INT8_BYTES, at)
    at = array.writeInt32BE(Math.floor(value / TWO_32), at)
    at = array.writeUInt32BE(value >>> 0, at)
  }
  return array
}

/** Allocates an array with one dimension, whose lower bound is 1. */
function allocate(count: number, bytes: number, type: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16)
  return array
}
