import { redactText } from '../../domain/platform/redact-keys.ts'
import { findValidators, type Validators } from '../../domain/pull/unchanged.ts'
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
   * @param read of all pages so far.
   * @param warn receives a warning about a link of the last page that is not followed.
   * @throws HubError as `openRecords`, and `platform_page_rejected` for a link that must not be followed.
   */
  next: (read: PagesRead, warn: (warning: string) => void) => Promise<RecordsPage | null>
}

/** What the pages of a response have contained so far. */
export type PagesRead = {
  /** The number of elements. */
  received: number
  /** The number of different reference numbers among them. */
  references: number
  /** The `total` that the platform has reported; null without one. */
  total: number | null
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
    async next(read, warn) {
      const url = paginator.nextOf(page, read, warn)
      return url && open(await get(url), number + 1)
    },
  })
  return open(response, 1)
}

/** Follows the links from page to page of one records response (RFC 8288, `rel="next"`). */
type Paginator = {
  /**
   * Returns the URL of the next page; null after the last one. A link to a page that was already read is only a warning
   * when the read has as many elements as the total.
   * @throws HubError `platform_page_rejected` when the next page is on another origin, to which the key must not be
   *   sent, when it has already been read, when the pages do not come to an end, or when there are too many.
   */
  nextOf: (
    response: Pick<PlatformResponse, 'url' | 'path' | 'header'>,
    read: PagesRead,
    warn: (warning: string) => void,
  ) => URL | null
}

/** A platform that ignores the parameters of its own links returns the same page for ever. */
const MAX_PAGES_WITHOUT_NEW = 3
const LINK_ADVICE = 'send no link with the last page, and use the parameters of the link'
const LINK_OF_LAST_PAGE =
  'The last page has a link to a page that was already read. Send no link with the last page.'

function createPaginator(first: URL, maxPages: number): Paginator {
  /** Hashes, since URLs may be long and there may be thousands of pages. */
  const seen = new Set([nameOf(first)])
  let references = 0
  let pagesWithoutNew = 0
  return {
    nextOf({ url, path, header }, read, warn) {
      pagesWithoutNew = read.references > references ? 0 : pagesWithoutNew + 1
      references = read.references
      const target = findLink(header('link'), 'next')
      if (target === null) return null
      const next = URL.parse(target, url.href)
      const reason = !next
        ? 'its link to the next page is not a valid URL'
        : next.origin !== url.origin
          ? `its next page is at ${next.origin.slice(0, 200)}, but the key is sent only to ${url.origin}`
          : seen.has(nameOf(next))
            ? 'its link to the next page leads to a page that was already read'
            : (findEndless(read, pagesWithoutNew) ??
              (seen.size >= maxPages ? `it has more than ${maxPages} pages` : null))
      if (next?.origin === url.origin && seen.has(nameOf(next)) && read.received === read.total) {
        warn(LINK_OF_LAST_PAGE)
        return null
      }
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

/** Why the pages do not come to an end, whatever their URLs are; null if they may. */
function findEndless({ received, total }: PagesRead, pagesWithoutNew: number): string | null {
  if (pagesWithoutNew >= MAX_PAGES_WITHOUT_NEW) {
    return `its last ${pagesWithoutNew} pages contain no record that the pages before them do not contain, and still link to a next page; ${LINK_ADVICE}`
  }
  if (total === null || received <= 2 * total) return null
  return `its pages contain ${received} records, more than twice its total of ${total}, and still link to a next page; ${LINK_ADVICE}`
}

function nameOf({ pathname, search }: URL): string {
  return sha256(pathname + search)
}
