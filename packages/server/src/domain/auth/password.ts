/** What a password must be. Any character counts, and none is asked for (NIST SP 800-63B, OWASP ASVS 5.0, V6.2). */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol'
import { isCommonPassword } from '../../lib/crypto/common-passwords.ts'

/** Words that a guesser tries first, since they are about this hub or its owner. */
export type OwnWords = { email: string; name: string; publicUrl: string }

const FEWEST_CHARACTERS = 5
const SHORTEST_WORD = 4
/** How much must be left of a password where words of its owner are taken out. */
const FEWEST_OTHERS = 8

/** What is wrong with a new password; null where nothing is. */
export function findPasswordFault(password: string, own: OwnWords): string | null {
  const characters = Array.from(password)
  if (characters.length < MIN_PASSWORD_LENGTH) {
    return `the password needs ${MIN_PASSWORD_LENGTH} characters or more`
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    return `the password is longer than ${MAX_PASSWORD_LENGTH} characters`
  }
  if (new Set(characters).size < FEWEST_CHARACTERS) {
    return 'the password repeats a few characters only'
  }
  const plain = lettersOf(password)
  const others = wordsOf(own).reduce((rest, word) => rest.replaceAll(word, ''), plain)
  if (others !== plain && Array.from(others).length < FEWEST_OTHERS) {
    return 'the password is little more than your name, your e-mail address or the name of the hub'
  }
  if (isCommonPassword(plain) || isCommonPassword(others)) {
    return 'the password is among those that many people use, and that are guessed first'
  }
  return null
}

/** Capitals, spaces and signs between make a common password no rarer. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The longest first, so that none is left in pieces. */
function wordsOf({ email, name, publicUrl }: OwnWords): string[] {
  const host = URL.parse(publicUrl)?.hostname ?? ''
  const words = ['recordhub', name, email, ...`${name} ${email} ${host}`.split(/[^\p{L}\p{N}]+/u)]
  return words
    .map(lettersOf)
    .filter((word) => word.length >= SHORTEST_WORD)
    .sort((one, other) => other.length - one.length)
}
