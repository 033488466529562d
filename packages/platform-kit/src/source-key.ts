/**
 * Creates a check of the source API key in constant time: the hashes are compared, so the time does not depend on the
 * position of the first difference. Uses Web Crypto only.
 */
export function createKeyCheck(
  keys: string | readonly string[],
): (candidate: string | null) => Promise<boolean> {
  // Created with the first request, since edge runtimes do not allow cryptography while a module is loaded.
  let knownHashes: Promise<Uint8Array[]> | null = null
  return async (candidate) => {
    knownHashes ??= Promise.all([keys].flat().map(hash))
    const candidateHash = await hash(candidate ?? '')
    let isKnown = false
    for (const known of await knownHashes) {
      if (isEqual(known, candidateHash)) isKnown = true
    }
    return isKnown && candidate !== null
  }
}

async function hash(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

/** Compares all bytes, even after the first difference. */
function isEqual(one: Uint8Array, other: Uint8Array): boolean {
  let difference = one.length ^ other.length
  one.forEach((byte, index) => {
    difference |= byte ^ (other[index] ?? 0)
  })
  return difference === 0
}
