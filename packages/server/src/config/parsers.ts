/** What settings are written as: each gives the value of a text, or throws what is wrong with it. */
import { isIP } from 'node:net'
import { isCronPattern } from '../lib/time/cron.ts'

export function text(value: string): string {
  return value
}

export function integer(min: number, max: number): (value: string) => number {
  return (value) => {
    const number = /^\d+$/.test(value) ? Number(value) : Number.NaN
    if (number >= min && number <= max) return number
    throw new Error(`must be a whole number from ${min} to ${max}`)
  }
}

/** A hundred years are as good as for ever. */
export function days(value: string): number {
  return integer(0, 36_500)(value)
}

export function oneOf<Word extends string>(...words: Word[]): (value: string) => Word {
  return (value) => {
    const word = words.find((one) => one === value.toLowerCase())
    if (word !== undefined) return word
    throw new Error(`must be one of ${words.join(', ')}`)
  }
}

export function password(value: string): string {
  if (Array.from(value).length >= 12 && value.length <= 256) return value
  throw new Error('must have 12 to 256 characters')
}

export function atLeast(length: number): (value: string) => string {
  return (value) => {
    if (value.length >= length) return value
    throw new Error(`must have ${length} characters or more`)
  }
}

export function httpUrl(value: string): string {
  const url = URL.parse(value)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href.replace(/\/$/, '')
  throw new Error('must be an address that begins with http:// or https://')
}

export function databaseUrl(value: string): string {
  if (/^sqlite:./.test(value)) return value
  const url = /^postgres(ql)?:\/\//.test(value) ? URL.parse(value) : null
  // An unescaped / or # in a password would make the rest of it a name that is shown.
  if (url && !url.hash && !url.pathname.includes('@')) return value
  throw new Error(
    'must be postgres://user:password@host/database (with / and # in the password as %2F and %23) or sqlite:<path of a file>; leave it empty for a file in HUB_DATA_DIR',
  )
}

export function timeZone(value: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: value }).resolvedOptions().timeZone
  } catch {
    throw new Error('must be a time zone such as Europe/Berlin or UTC')
  }
}

export function schedule(value: string): string {
  if (value.toLowerCase() === 'off') return 'off'
  if (isCronPattern(value)) return value
  throw new Error('must be a cron pattern such as "* * * * *" (every minute), or off')
}

export function pathSegment(value: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(value)) return value
  throw new Error('must be one word of letters, digits, - and _')
}

export function headerName(value: string): string {
  const isReserved = /^(accept|host|connection|content-.*|transfer-encoding|x-platform-api-key)$/i
  if (/^[A-Za-z0-9-]+$/.test(value) && !isReserved.test(value)) return value
  throw new Error('must be the name of a header that the hub does not send otherwise')
}

/**
 * How many proxies stand in front, or their addresses. A proxy adds to X-Forwarded-For what it sees, so that
 * what stands further left is whatever a client wrote: to trust all of it would let anybody choose an address.
 */
export function trustProxy(value: string): false | number | string {
  const word = value.toLowerCase()
  if (word === 'on' || word === 'true') return 1
  if (word === 'off' || word === 'false') return false
  if (/^[1-9]$/.test(word)) return Number(word)
  for (const address of value.split(',')) {
    const [host = '', bits = '0'] = address.trim().split('/')
    const maxBits = isIP(host) === 4 ? 32 : 128
    if (!isIP(host) || !/^\d+$/.test(bits) || Number(bits) > maxBits) {
      throw new Error(
        'must be off, on, a number of proxies from 1 to 9, or addresses such as 10.0.0.0/8 with commas between',
      )
    }
  }
  return value
}
