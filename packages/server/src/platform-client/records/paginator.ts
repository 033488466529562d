import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { findLink } from '../../lib/net/link-header.ts'
import type { PlatformResponse } from '../request/send-request.ts'

/** Where the pages of one answer go on (RFC 8288, `rel="next"`). */
export type Paginator = {
  /**
   * The address of the page after this one; null where this is the last.
   * @throws HubError `platform_page_refused` for one that the hub does not ask for: it is elsewhere,
   *   where the key must not go, or was read already, or there are too many.
   */
  nextOf: (answer: Pick<PlatformResponse, 'url' | 'path' | 'header'>) => URL | null
}

export function createPaginator(first: URL, maxPages: number): Paginator {
  /** Their hashes: an address may be long, and there may be thousands. */
  const seen = new Set([nameOf(first)])
  return {
    nextOf({ url, path, header }) {
      const target = findLink(header('link'), 'next')
      if (target === null) return null
      const next = URL.parse(target, url.href)
      const reason = !next
        ? 'its link to the next page is no address'
        : next.origin !== url.origin
          ? `its next page is at ${next.origin.slice(0, 200)}, but the key goes to ${url.origin} only`
          : seen.has(nameOf(next))
            ? 'its link to the next page leads back to one that was read already'
            : seen.size >= maxPages
              ? `it goes on after ${maxPages} pages`
              : null
      if (!next || reason !== null) {
        throw new HubError('platform_page_refused', { path, reason: reason ?? '' })
      }
      seen.add(nameOf(next))
      next.username = ''
      next.password = ''
      return next
    },
  }
}

function nameOf({ pathname, search }: URL): string {
  return sha256(pathname + search)
}
