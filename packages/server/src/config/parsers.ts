/** The formats of settings. Each parser returns the value of a text, or throws an Error with the allowed values. */
import { isIP } from 'node:net'
import { isEmail } from '../lib/text/email.ts'
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

/** Null for off. */
export function portOrOff(value: string): number | null {
  if (value.toLowerCase() === 'off') return null
  try {
    return integer(0, 65_535)(value)
  } catch {
    throw new Error('must be a port from 0 to 65535, or off')
  }
}

export function share(value: string): number {
  const number = /^(?:\d+(?:\.\d*)?|\.\d+)$/.test(value) ? Number(value) : Number.NaN
  if (number <= 1) return number
  throw new Error('must be a number from 0 to 1')
}

/** A list of `name=value`, as OpenTelemetry specifies it: percent-encoded, separated by commas. */
export function namedValues(value: string): Readonly<Record<string, string>> {
  const pairs = value.split(',').map((pair) => pair.split('=').map((part) => part.trim()))
  return Object.fromEntries(
    pairs.map(([name = '', ...parts]) => {
      const text = parts.join('=')
      if (name === '' || /\s/.test(name) || parts.length === 0 || !isEncoded(name + text)) {
        throw new Error('must be a list such as name=value,other=value, percent-encoded')
      }
      return [decodeURIComponent(name), decodeURIComponent(text)]
    }),
  )
}

/** Up to a hundred years. */
export function days(value: string): number {
  return integer(0, 36_500)(value)
}

export function oneOf<Option extends string>(...options: Option[]): (value: string) => Option {
  return (value) => {
    const option = options.find((one) => one === value.toLowerCase())
    if (option !== undefined) return option
    throw new Error(`must be one of ${options.join(', ')}`)
  }
}

export function onOrOff(value: string): boolean {
  return oneOf('on', 'off')(value) === 'on'
}

export function password(value: string): string {
  if (Array.from(value).length >= 12 && value.length <= 256) return value
  throw new Error('must have 12 to 256 characters')
}

export function minLength(length: number): (value: string) => string {
  return (value) => {
    if (value.length >= length) return value
    throw new Error(`must have at least ${length} characters`)
  }
}

export function httpUrl(value: string): string {
  const url = URL.parse(value)
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url.href.replace(/\/$/, '')
  throw new Error('must be a URL that starts with http:// or https://')
}

/** The URL of a site, to which paths are appended: links of mails and guides would end in its query. */
export function siteUrl(value: string): string {
  const url = httpUrl(value)
  if (!/[?#]/.test(url) && URL.parse(url)?.username === '') return url
  throw new Error('must be a URL without a user, a query (?) and a fragment (#)')
}

export function databaseUrl(value: string): string {
  if (/^sqlite:./.test(value)) return value
  const url = /^postgres(ql)?:\/\//.test(value) ? URL.parse(value) : null
  // An unescaped / or # in the password would make the rest of it part of a database name, which is logged.
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

export function cronPattern(value: string): string {
  if (value.toLowerCase() === 'off') return 'off'
  if (isCronPattern(value)) return value
  throw new Error(
    'must be a cron pattern of five fields (without seconds) such as "* * * * *" (every minute), or off',
  )
}

export function pathSegment(value: string): string {
  if (/^[A-Za-z0-9_-]+$/.test(value)) return value
  throw new Error('must consist of letters, digits, - and _')
}

export function headerName(value: string): string {
  const isReserved = /^(accept|host|connection|content-.*|transfer-encoding|x-platform-api-key)$/i
  if (/^[A-Za-z0-9-]+$/.test(value) && !isReserved.test(value)) return value
  throw new Error('must be the name of a header that the hub does not set itself')
}

/**
 * The number of proxies in front of the hub, or their addresses. Each proxy appends the address that it sees to
 * X-Forwarded-For, so the entries further left come from the client: trusting all of them would let any client choose
 * its address.
 */
export function trustProxy(value: string): false | number | string {
  const option = value.toLowerCase()
  if (option === 'on' || option === 'true') return 1
  if (option === 'off' || option === 'false') return false
  if (/^[1-9]$/.test(option)) return Number(option)
  for (const address of value.split(',')) {
    const [host = '', bits = '0'] = address.trim().split('/')
    const maxBits = isIP(host) === 4 ? 32 : 128
    if (!isIP(host) || !/^\d+$/.test(bits) || Number(bits) > maxBits) {
      throw new Error(
        'must be off, on, a number of proxies from 1 to 9, or addresses such as 10.0.0.0/8, separated by commas',
      )
    }
  }
  return value
}

export function email(value: string): string {
  if (isEmail(value)) return value
  throw new Error('must be an e-mail address')
}

const MAX_RECIPIENTS = 50

export function emails(value: string): readonly string[] {
  const addresses = value.split(',').map((one) => one.trim())
  if (addresses.length > MAX_RECIPIENTS) {
    throw new Error(`must be ${MAX_RECIPIENTS} addresses at most`)
  }
  if (addresses.every(isEmail)) return addresses
  throw new Error('must be e-mail addresses, separated by commas')
}

export function smtpUrl(value: string): string {
  const url = /^smtps?:\/\/[^\s]+$/.test(value) ? URL.parse(value) : null
  // An unescaped / # ? or @ in the password would make the rest of it part of a host name, which is logged.
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

const DOMAIN = /^(?!-)[a-z0-9-]+(\.[a-z0-9-]+)+$/

export function domains(value: string): readonly string[] {
  const names = value.split(',').map((one) => one.trim().toLowerCase())
  if (names.every((name) => DOMAIN.test(name))) return names
  throw new Error('must be domains such as example.org, separated by commas')
}
