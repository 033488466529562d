import { trimTrailing } from '@recordhub/protocol/text'
import { HubError } from '../errors.ts'

/**
 * Normalises the base URL of a platform, such as `https://host/app`: no slash at the end.
 * @throws HubError `source_url_invalid` with the reason.
 */
export function parseSourceUrl(text: string): string {
  const url = URL.parse(text.trim())
  const reason = !url
    ? 'it is not a URL such as https://hr.example.org'
    : url.protocol !== 'http:' && url.protocol !== 'https:'
      ? 'it must begin with https:// or http://'
      : url.username || url.password
        ? 'remove the user name and the password'
        : /[?#]/.test(text)
          ? 'remove everything from the ? or # on'
          : null
  if (!url || reason !== null) throw new HubError('source_url_invalid', { reason: reason ?? '' })
  return trimTrailing(url.href, '/')
}

/**
 * Removes the path of the endpoints from a base URL, e.g. of `https://host/app/api` or `https://host/app/api/hub/ping`.
 * Null for a URL without such a path.
 */
export function withoutApiPath(sourceBaseUrl: string): string | null {
  const shortened = sourceBaseUrl.replace(/\/api(?:\/[^/]+){0,2}$/i, '')
  return shortened === sourceBaseUrl ? null : shortened
}

/** @throws HubError `source_key_invalid` for a key that cannot be sent unchanged in a header. */
export function checkSourceKey(key: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw new HubError('source_key_invalid')
}
