/**
 * Arrays as parameters of statements, in PostgreSQL's binary form (`array_send`): the text form has each
 * quote of a JSON text escaped by the hub and unescaped by the server, which costs more than storing it.
 */
const HEADER_BYTES = 20
const LENGTH_BYTES = 4
const INT8_BYTES = 8
const TEXT_TYPE = 25
const INT8_TYPE = 20
const TWO_32 = 2 ** 32

/** For a `text[]`. The texts hold no U+0000 and no half of a surrogate pair. */
export function textArray(values: (string | null)[]): Buffer {
  const sizes = values.map((value) => (value === null ? 0 : Buffer.byteLength(value)))
  const size = sizes.reduce((sum, one) => sum + one, 0)
  const array = allocate(values.length, size, TEXT_TYPE)
  let at = HEADER_BYTES
  for (const [index, value] of values.entries()) {
    if (value === null) {
      at = array.writeInt32BE(-1, at)
      continue
    }
    at = array.writeInt32BE(sizes[index] ?? 0, at)
    at += array.write(value, at)
  }
  return array
}

/** For a `bigint[]` of safe integers. */
export function bigintArray(values: (number | null)[]): Buffer {
  const known = values.reduce<number>((count, value) => count + (value === null ? 0 : 1), 0)
  const array = allocate(values.length, known * INT8_BYTES, INT8_TYPE)
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

/** One dimension, whose first element is number 1. */
function allocate(count: number, bytes: number, type: number): Buffer {
  const array = Buffer.allocUnsafe(HEADER_BYTES + count * LENGTH_BYTES + bytes)
  array.writeInt32BE(1, 0)
  array.writeInt32BE(1, 4)
  array.writeInt32BE(type, 8)
  array.writeInt32BE(count, 12)
  array.writeInt32BE(1, 16)
  return array
}
