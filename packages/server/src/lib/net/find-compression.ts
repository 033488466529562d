/** The first bytes of compressed data. No JSON begins with them. Brotli has none. */
const BEGINNINGS: readonly (readonly [string, readonly number[]])[] = [
  ['gzip', [0x1f, 0x8b]],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['deflate', [0x78, 0x01]],
  ['deflate', [0x78, 0x9c]],
  ['deflate', [0x78, 0xda]],
]

/** The compression of a body that should be JSON, by its first bytes; null if it seems to have none. */
export function findCompression(bytes: Uint8Array): string | null {
  const found = BEGINNINGS.find(([, beginning]) =>
    beginning.every((byte, index) => bytes[index] === byte),
  )
  return found?.[0] ?? null
}
