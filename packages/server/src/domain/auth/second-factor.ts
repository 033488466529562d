import type { RequiredSecondFactorStep } from '@recordhub/protocol'
import { sha256 } from '../../lib/crypto/hash.ts'

/** The factors of an operator besides a password. `single_sign_on` only counts while the hub has a provider. */
export type Factors = { second_factor: boolean; passkeys: number; single_sign_on: boolean }

/** The domain that passkeys are bound to, and the allowed origin if it is known. The browser checks both. */
export function passkeySite(publicUrl: string): { id: string; origin: string | null } {
  if (publicUrl === '') return { id: 'localhost', origin: null }
  const { hostname, origin } = new URL(publicUrl)
  return { id: hostname, origin }
}

/** Whether an operator can sign in with more than a password. */
export function hasFactor({ second_factor, passkeys, single_sign_on }: Factors): boolean {
  return second_factor || passkeys > 0 || single_sign_on
}

/**
 * The step that a session requires where a second factor is mandatory. A session with a password alone may set up the
 * first factor, but must not add another one: an attacker with the password could bypass the existing factor.
 */
export function requiredSecondFactorStep(
  factors: Factors,
  { isStrong }: { isStrong: boolean },
): RequiredSecondFactorStep {
  if (isStrong) return null
  return hasFactor(factors) ? 'sign_in' : 'set_up'
}

/** Whether a factor remains after the authenticator app or one of the passkeys is removed. */
export function hasFactorWithout(factors: Factors, removed: 'code' | 'passkey'): boolean {
  return removed === 'code'
    ? hasFactor({ ...factors, second_factor: false })
    : hasFactor({ ...factors, passkeys: factors.passkeys - 1 })
}

/** Marks a hash. No code contains a colon. */
const HASH_PREFIX = 'sha256:'

/** Whether a text is the hash of a recovery code, as they are stored. */
export function isRecoveryCodeHash(text: string): boolean {
  return text.startsWith(HASH_PREFIX)
}

/** The hash of a code, whatever case, spaces, dashes and look-alike letters it was entered with. */
export function hashRecoveryCode(entered: string): string {
  const code = entered
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[^0-9a-z]/g, '')
    .replaceAll('o', '0')
    .replace(/[il]/g, '1')
  return `${HASH_PREFIX}${sha256(code)}`
}
