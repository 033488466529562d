/** What a module's records endpoint does when it is asked once more: ETag, gzip, and whether two reads agree. */
import type { ConformanceLine } from '@recordhub/protocol'
import { conditionalHeaders } from '../../domain/pull/cached-response.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import { HubError } from '../../errors.ts'
import { findLink } from '../../lib/net/link-header.ts'
import { parseElements } from '../../platform-client/records/records-chunk.ts'
import type { RecordsPage } from '../../platform-client/records/records-pages.ts'
import { type FirstRead, openModule, PROGRESS_EVERY_MS } from './check-records.ts'
import { attempt, type CheckContext, look } from './context.ts'
import type { Section } from './section.ts'

/** Fewer that differ are likely somebody's work. */
const UNSTABLE_FROM = 2

/** Asks whether the records have changed, as the answer to the first read lets it. */
export async function checkConditions(
  context: CheckContext,
  section: Section,
  recordType: string,
  { page }: FirstRead,
): Promise<void> {
  const { findings } = section
  const etag = page.header('etag')
  if (etag !== '' && page.validators?.etag == null) {
    findings.add('records.etag_unusable', { params: { etag } })
  }
  const link = page.header('link')
  if (/next/i.test(link) && findLink(link, 'next') === null) {
    findings.add('records.link_unusable', { params: { link } })
  }
  if (!page.validators) return
  const headers = conditionalHeaders(page.validators)
  const path = `records/${encodeURIComponent(recordType)}`
  const answer = await attempt(context, section, () =>
    look(context, path, { headers, maxBytes: 1 }),
  )
  if (!answer) return
  const { status, header } = answer
  if (status === 304) {
    section.passed('Asked whether the records have changed, it answers 304 without sending them.')
    return
  }
  // Somebody works with it.
  if (status === 200 && header('etag') !== etag) return
  const [condition = ''] = Object.keys(headers)
  const validator = page.validators.etag === null ? 'Last-Modified' : 'ETag'
  findings.add('records.etag_ignored', { params: { validator, condition, status } })
}

/** Reads a module a second time, compressed where it can be, and compares. */
export async function* readAgain(
  context: CheckContext,
  section: Section,
  recordType: string,
  first: FirstRead,
): AsyncGenerator<ConformanceLine, void> {
  const { endpoint, findings } = section
  const { comparison } = first
  let elements = 0
  let toldAt = performance.now()
  try {
    const page = await openModule(context, recordType, { asksForGzip: true })
    const encoding = page.header('content-encoding')
    const etag = page.header('etag')
    for (let at: RecordsPage | null = page; at && elements < first.elements; at = await at.next()) {
      for await (const slice of at.chunks()) {
        for (const { value } of parseElements(slice, [...slice.starts.keys()]).elements) {
          const reference = referenceOf(value)
          if (reference !== null && elements < first.elements)
            comparison.addSecond(reference, value)
          elements += 1
        }
        at.release(slice)
        if (first.isCut && elements >= first.elements) break
        if (performance.now() - toldAt < PROGRESS_EVERY_MS) continue
        toldAt = performance.now()
        yield { kind: 'progress', endpoint, records: elements, bytes: 0 }
      }
    }
    if (encoding !== '') section.passed(`Asked for compression, it sends ${encoding}.`)
    judgeDifference(section, first, etag)
  } catch (error) {
    context.signal.throwIfAborted()
    if (!(error instanceof HubError)) throw error
    findings.add('records.gzip_broken', { params: { reason: error.message } })
  }
}

function judgeDifference(section: Section, first: FirstRead, etag: string): void {
  const { findings } = section
  const { records, different, matching } = first.comparison.result()
  if (different === 0) {
    if (records > 0) section.passed('Two reads brought the same records.')
    return
  }
  if (matching === 0 && records >= UNSTABLE_FROM) {
    findings.add('records.unstable', { params: { records } })
  } else findings.add('records.changed', { params: { records: different } })
  if (etag !== '' && etag === first.page.header('etag')) findings.add('records.etag_stale')
}
