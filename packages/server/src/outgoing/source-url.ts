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
        : url.search || url.hash
          ? 'leave out everything from ? or # on'
          : null
  if (!url || reason !== null) throw new HubError('source_url_invalid', { reason: reason ?? '' })
  return url.href.replace(/\/+$/, '')
}
