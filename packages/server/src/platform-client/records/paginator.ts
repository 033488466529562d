import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { findLink } from '../../lib/net/link-header.ts'
import type { PlatformResponse } from '../request/send-request.ts'

/** Follows the links from page to page of one records response (RFC 8288, `rel="next"`). */
export type Paginator = {
  /**
   * Returns the URL of the next page; null after the last one.
   * @throws HubError `platform_page_refused` when the next page is on another origin, to which the key must not be
   *   sent, when it has already been read, or when there are too many pages.
   */
  nextOf: (response: Pick<PlatformResponse, 'url' | 'path' | 'header'>) => URL | null
}

export function createPaginator(first: URL, maxPages: number): Paginator {
  /** Hashes, since URLs may be long and there may be thousands of pages. */
  const seen = new Set([nameOf(first)])
  return {
    nextOf({ url, path, header }) {
      const target = findLink(header('link'), 'next')
      if (target === null) return null
      const next = URL.parse(target, url.href)
      const reason = !next
        ? 'its link to the next page is not a valid URL'
        : next.origin !== url.origin
          ? `its next page is at ${next.origin.slice(0, 200)}, but the key is sent only to ${url.origin}`
          : seen.has(nameOf(next))
            ? 'its link to the next page leads to a page that was already read'
            : seen.size >= maxPages
              ? `it has more than ${maxPages} pages`
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
