/** Codes of authenticator apps (RFC 6238). */
import { createHmac } from 'node:crypto'
import type { TestContext } from 'node:test'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const STEP_MS = 30_000

/**
 * The code that an authenticator app shows.
 * @param steps 1 returns the code of the next 30 seconds, for tests that need two codes, because the hub accepts each
 * code once. The code of the previous step could expire before the hub receives it.
 */
export function totpCode(uri: string, steps: 0 | 1 = 0): string {
  const secret = base32(new URL(uri).searchParams.get('secret') ?? '')
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / STEP_MS) + steps))
  const mac = createHmac('sha1', secret).update(counter).digest()
  const offset = (mac.at(-1) ?? 0) & 15
  const number = mac.readUInt32BE(offset) & 0x7fff_ffff
  return String(number % 1_000_000).padStart(6, '0')
}

/**
 * Stops the clock of this process until the test ends, so that codes do not expire while a slow machine enters them.
 */
export function stopClock(t: TestContext): void {
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() })
}

function base32(text: string): Buffer {
  let bits = ''
  for (const letter of text.replace(/=+$/, '')) {
    bits += ALPHABET.indexOf(letter).toString(2).padStart(5, '0')
  }
  const bytes = bits.match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)))
}
