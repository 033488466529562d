import { redactText } from '../../domain/platform/redact-keys.ts'
import { findValidators, type Validators } from '../../domain/pull/cached-response.ts'
import { HubError } from '../../errors.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { findLink } from '../../lib/net/link-header.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { openRecordsStream, type RecordsStream } from './records-stream.ts'

/** A page of a records response. A response without links has one page. */
export type RecordsPage = RecordsStream & {
  /** From 1. */
  number: number
  /** The value of a header by its name in lower case; "" for none. */
  header: (name: string) => string
  /** The validators for the next conditional request; null without usable ones. */
  validators: Validators | null
  /**
   * Requests the next page. This one must have been read completely. Null after the last one.
   * @throws HubError as `openRecords`, and `platform_page_rejected` for a link that must not be followed.
   */
  next: () => Promise<RecordsPage | null>
}

/** Opens the pages of a response one by one. `get` requests a page. */
export function openPages(
  response: PlatformResponse,
  { get, maxPages }: { get: (url: URL) => Promise<PlatformResponse>; maxPages: number },
): RecordsPage {
  const paginator = createPaginator(response.url, maxPages)
  const open = (page: PlatformResponse, number: number): RecordsPage => ({
    ...openRecordsStream(page),
    number,
    header: page.header,
    validators: findValidators({
      // Stored unchanged, or not at all.
      etag: redactText(page.header('etag'), [page.key]),
      last_modified: page.header('last-modified'),
      date: page.header('date'),
    }),
    async next() {
      const url = paginator.nextOf(page)
      return url && open(await get(url), number + 1)
    },
  })
  return open(response, 1)
}

/** Follows the links from page to page of one records response (RFC 8288, `rel="next"`). */
type Paginator = {
  /**
   * Returns the URL of the next page; null after the last one.
   * @throws HubError `platform_page_rejected` when the next page is on another origin, to which the key must not be
   *   sent, when it has already been read, or when there are too many pages.
   */
  nextOf: (response: Pick<PlatformResponse, 'url' | 'path' | 'header'>) => URL | null
}

function createPaginator(first: URL, maxPages: number): Paginator {
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
        throw new HubError('platform_page_rejected', { path, reason: reason ?? '' })
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
