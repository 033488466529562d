import { HubError } from '../errors.ts'

/**
 * A platform's base address in the form that paths are put behind: `https://host/app`, no slash at
 * the end.
 * @throws HubError `source_url_invalid` saying what is wrong with it.
 */
export function parseSourceUrl(text: string): string {
  const url = URL.parse(text.trim())
  const reason = !url
    ? 'it is no address; it should look like https://hr.example.org'
    : url.protocol !== 'http:' && url.protocol !== 'https:'
      ? 'it must begin with https:// or http://'
      : url.username || url.password
        ? 'leave the user name and the password out of it'
        : /[?#]/.test(text)
          ? 'leave out everything from ? or # on'
          : null
  if (!url || reason !== null) throw new HubError('source_url_invalid', { reason: reason ?? '' })
  return url.href.replace(/\/+$/, '')
}

/**
 * The base address of a platform whose user entered it with the path of its endpoints, e.g. `https://host/app/api` or
 * `https://host/app/api/hub/ping`. Null where the address has no such path.
 */
export function withoutApiPath(sourceBaseUrl: string): string | null {
  const shortened = sourceBaseUrl.replace(/\/api(?:\/[^/]+){0,2}$/i, '')
  return shortened === sourceBaseUrl ? null : shortened
}

/** @throws HubError `source_key_invalid` for a key that cannot stand in a header as it is. */
export function checkSourceKey(key: string): string {
  if (/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(key)) return key
  throw new HubError('source_key_invalid')
}
