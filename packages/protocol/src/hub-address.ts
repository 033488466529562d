import { RECEIVER_CHECK_PATH, RECEIVER_PATH } from './constants.ts'
import { trimTrailing } from './text.ts'

/** What a platform owner may copy with the address: the paths that the hub and its page show. */
const KNOWN_PATHS = [RECEIVER_PATH, RECEIVER_CHECK_PATH, '/api/webhook', '/api']
const PAGE_PATH = '/dashboard/'

/**
 * The URL of a path of the hub.
 * @param hubUrl the address of the hub, also with the path of its receiver or of its page, a query or a fragment.
 * @returns null if it is not an http address.
 */
export function hubEndpoint(hubUrl: string, path: string): string | null {
  if (!URL.canParse(hubUrl) || !/^https?:/i.test(hubUrl)) return null
  const { origin, pathname } = new URL(hubUrl)
  const [beforePage = ''] = `${trimTrailing(pathname, '/')}/`.split(PAGE_PATH)
  const base = trimTrailing(beforePage, '/')
  const known = KNOWN_PATHS.find((one) => base.endsWith(one)) ?? ''
  return origin + base.slice(0, base.length - known.length) + path
}
