/**
 * MD5 (RFC 1321) in plain JavaScript: the kit also runs where there is no `node:crypto`, and Web Crypto has no MD5. It
 * spreads records over buckets and protects nothing.
 */

const BLOCK_BYTES = 64
const LENGTH_BYTES = 8
const STEPS = Array.from({ length: 64 }, (_, step) => step)
const ROTATIONS = [7, 12, 17, 22, 5, 9, 14, 20, 4, 11, 16, 23, 6, 10, 15, 21]
/** By step: how far a sum is rotated, which word of the block is added, and the constant of RFC 1321. */
const SHIFTS = Uint8Array.from(STEPS, (step) => ROTATIONS[(step >> 4) * 4 + (step & 3)] ?? 0)
const WORDS = Uint8Array.from(STEPS, wordOf)
const CONSTANTS = Int32Array.from(STEPS, (step) =>
  Math.floor(Math.abs(Math.sin(step + 1)) * 2 ** 32),
)
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))
const encoder = new TextEncoder()

/** The MD5 of the UTF-8 bytes of a text, as 32 lower-case hex digits. A lone surrogate counts as U+FFFD. */
export function md5(text: string): string {
  const bytes = encoder.encode(text)
  const blocks = Math.ceil((bytes.length + 1 + LENGTH_BYTES) / BLOCK_BYTES)
  const padded = new Uint8Array(blocks * BLOCK_BYTES)
  padded.set(bytes)
  padded[bytes.length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, bytes.length << 3, true)
  view.setUint32(padded.length - 4, Math.floor(bytes.length / 2 ** 29), true)

  const state = Int32Array.of(0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476)
  for (let offset = 0; offset < padded.length; offset += BLOCK_BYTES) addBlock(state, view, offset)
  let hex = ''
  for (const byte of new Uint8Array(toLittleEndian(state))) hex += HEX[byte] ?? ''
  return hex
}

function addBlock(state: Int32Array, block: DataView, offset: number): void {
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  for (let step = 0; step < 64; step++) {
    const word = block.getInt32(offset + 4 * (WORDS[step] ?? 0), true)
    const sum = (a + mix(step >> 4, b, c, d) + (CONSTANTS[step] ?? 0) + word) | 0
    const shift = SHIFTS[step] ?? 0
    a = d
    d = c
    c = b
    b = (b + ((sum << shift) | (sum >>> (32 - shift)))) | 0
  }
  state[0] = (state[0] ?? 0) + a
  state[1] = (state[1] ?? 0) + b
  state[2] = (state[2] ?? 0) + c
  state[3] = (state[3] ?? 0) + d
}

function mix(round: number, b: number, c: number, d: number): number {
  if (round === 0) return (b & c) | (~b & d)
  if (round === 1) return (d & b) | (~d & c)
  return round === 2 ? b ^ c ^ d : c ^ (b | ~d)
}

function wordOf(step: number): number {
  if (step < 16) return step
  if (step < 32) return (5 * step + 1) & 15
  return step < 48 ? (3 * step + 5) & 15 : (7 * step) & 15
}

function toLittleEndian(state: Int32Array): ArrayBuffer {
  const view = new DataView(new ArrayBuffer(16))
  for (const [index, number] of state.entries()) view.setInt32(4 * index, number, true)
  return view.buffer
}
