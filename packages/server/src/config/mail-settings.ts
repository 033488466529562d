/** Settings that have to do with mail: each gives the value of a text, or throws what is wrong with it. */
import { z } from 'zod'

export function email(value: string): string {
  if (z.email().safeParse(value).success) return value
  throw new Error('must be an e-mail address')
}

const MOST_RECIPIENTS = 50

export function emails(value: string): readonly string[] {
  const addresses = value.split(',').map((one) => one.trim())
  if (addresses.length > MOST_RECIPIENTS) {
    throw new Error(`must be ${MOST_RECIPIENTS} addresses at most`)
  }
  for (const address of addresses) {
    if (!z.email().safeParse(address).success) {
      throw new Error('must be e-mail addresses with commas between')
    }
  }
  return addresses
}

export function smtpUrl(value: string): string {
  const url = /^smtps?:\/\/[^\s]+$/.test(value) ? URL.parse(value) : null
  // An unescaped / # ? or @ in a password would make the rest of it a name that is shown.
  const isWhole = url?.hostname && !url.pathname.replace(/^\/$/, '') && !url.search && !url.hash
  if (isWhole && (!url.password || url.username) && isEncoded(url.username + url.password)) {
    return value
  }
  throw new Error(
    'must be smtp://user:password@host:port or smtps://…, with @ / # ? and % in the password as %40 %2F %23 %3F and %25',
  )
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
