import { findValidators, type Validators } from '../../domain/kept-answer.ts'
import { redactText } from '../../domain/redact-keys.ts'
import type { PlatformResponse } from '../request/send-request.ts'
import { createPaginator } from './paginator.ts'
import { openRecordsStream, type RecordsStream } from './records-stream.ts'

/** A page of a records answer; a plain answer is one page. */
export type RecordsPage = RecordsStream & {
  /** From 1. */
  number: number
  /** A header by its name in small letters; "" for none. */
  header: (name: string) => string
  /** What the platform gave to ask for it again; null for nothing of use. */
  validators: Validators | null
  /**
   * Asks for the page after this one, which must have been read; null where this is the last.
   * @throws HubError as `openRecords`, and `platform_page_refused` for a page that the hub does not ask for.
   */
  next: () => Promise<RecordsPage | null>
}

/** Goes from page to page; `ask` gets the answer of an address, by the rules of all calls. */
export function openPages(
  answer: PlatformResponse,
  { ask, maxPages }: { ask: (url: URL) => Promise<PlatformResponse>; maxPages: number },
): RecordsPage {
  const trail = createPaginator(answer.url, maxPages)
  const open = (page: PlatformResponse, number: number): RecordsPage => ({
    ...openRecordsStream(page),
    number,
    header: page.header,
    validators: findValidators({
      // Kept as it is, or not at all.
      etag: redactText(page.header('etag'), [page.key]),
      last_modified: page.header('last-modified'),
      date: page.header('date'),
    }),
    async next() {
      const url = trail.nextOf(page)
      return url && open(await ask(url), number + 1)
    },
  })
  return open(answer, 1)
}
