/** The password policy: any character is allowed and none is required (NIST SP 800-63B, OWASP ASVS 5.0, V6.2). */
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from '@recordhub/protocol'
import { memoizeAsync } from '../../lib/concurrency/memoize-async.ts'

/** Data about the owner and the hub, which an attacker tries first. */
type PasswordOwner = { email: string; name: string; publicUrl: string }

const MIN_DISTINCT_CHARACTERS = 5
const MIN_WORD_LENGTH = 4
/** Minimum length of a password after the words of its owner are removed. */
const MIN_OTHER_CHARACTERS = 8
/** Loads some 49,000 words in lower case, which take 10 MB of memory. */
const loadCommonPasswords = memoizeAsync(async () => {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set<string>(dictionary['passwords-common'])
})

/** The reason why a new password is not accepted; null if it is. */
export async function findPasswordIssue(
  password: string,
  owner: PasswordOwner,
): Promise<string | null> {
  const characters = Array.from(password)
  if (characters.length < MIN_PASSWORD_LENGTH) {
    return `the password must have at least ${MIN_PASSWORD_LENGTH} characters`
  }
  if (password.length > MAX_PASSWORD_LENGTH) {
    return `the password is longer than ${MAX_PASSWORD_LENGTH} characters`
  }
  if (new Set(characters).size < MIN_DISTINCT_CHARACTERS) {
    return 'the password only repeats a few characters'
  }
  const plain = lettersOf(password)
  const others = wordsOf(owner).reduce((rest, word) => rest.replaceAll(word, ''), plain)
  if (others !== plain && Array.from(others).length < MIN_OTHER_CHARACTERS) {
    return 'the password contains little more than your name, your e-mail address or the name of the hub'
  }
  const common = await loadCommonPasswords()
  if (isCommon(plain, common) || isCommon(others, common)) {
    return 'the password is a common one, which attackers try first'
  }
  return null
}

/** Whether a text is a common password or consists of two of them. */
function isCommon(text: string, common: ReadonlySet<string>): boolean {
  if (common.has(text)) return true
  return Array.from(text).some((_, index) => {
    const [start, end] = [text.slice(0, index), text.slice(index)]
    return index > 0 && common.has(start) && common.has(end)
  })
}

/** Capital letters, spaces and punctuation do not make a common password less common. */
function lettersOf(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/** The longest word comes first, so that a shorter one does not leave a part of it. */
function wordsOf({ email, name, publicUrl }: PasswordOwner): string[] {
  const host = URL.parse(publicUrl)?.hostname ?? ''
  const words = ['recordhub', name, email, ...`${name} ${email} ${host}`.split(/[^\p{L}\p{N}]+/u)]
  return words
    .map(lettersOf)
    .filter((word) => word.length >= MIN_WORD_LENGTH)
    .sort((one, other) => other.length - one.length)
}
