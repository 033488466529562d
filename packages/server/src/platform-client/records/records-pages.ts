import { redactText } from '../../domain/platform/redact-keys.ts'
import { findValidators, type Validators } from '../../domain/pull/cached-response.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { createPaginator } from './paginator.ts'
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
   * @throws HubError as `openRecords`, and `platform_page_refused` as {@link Paginator.nextOf}.
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
