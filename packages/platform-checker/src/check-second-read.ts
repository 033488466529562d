/** Requests the records of a module again: with a condition, compressed, and compared with the first read. */
import type { ConformanceLine } from '@recordhub/protocol'
import { attempt, type CheckContext, sendRequest, toPlatformError } from './check-context.ts'
import { type FirstRead, openModule, PROGRESS_INTERVAL_MS } from './check-records.ts'
import type { RecordsPage } from './hub.ts'
import { ListedVersions } from './listed-versions.ts'
import type { Section } from './section.ts'

/** Fewer differences are probably edits between the two reads. */
const MIN_UNSTABLE_RECORDS = 2

/** Sends a conditional request with the validators of the first response. */
export async function checkConditions(
  context: CheckContext,
  section: Section,
  recordType: string,
  { page }: FirstRead,
): Promise<void> {
  const { findings } = section
  const { rules } = context
  const etag = page.header('etag')
  if (etag !== '' && page.validators?.etag == null) {
    findings.add('records.etag_unusable', { params: { etag } })
  }
  if (page.validators?.etag != null && containsWholeSeconds(etag)) {
    findings.add('records.etag_seconds', { params: { etag } })
  }
  const link = page.header('link')
  if (/next/i.test(link) && rules.findNextLink(link) === null) {
    findings.add('records.link_unusable', { params: { link } })
  }
  if (!page.validators) return
  const headers = rules.conditionalHeaders(page.validators)
  const path = `records/${encodeURIComponent(recordType)}`
  const response = await attempt(context, section, () =>
    sendRequest(context, path, { headers, maxBytes: 1 }),
  )
  if (!response) return
  const { status, header } = response
  if (status === 304) {
    section.addPassed('The response to a conditional request for unchanged records is 304.')
    return
  }
  // The records have changed since.
  if (status === 200 && header('etag') !== etag) return
  const [condition = ''] = Object.keys(headers)
  const validator = page.validators.etag === null ? 'Last-Modified' : 'ETag'
  findings.add('records.etag_ignored', { params: { validator, condition, status } })
}

const FRACTION = /\d[.,]\d{3,}/
/** `2026-11-21T07:30:00` with any separators, or a Unix time from 2001 to 2033; not as a part of a longer number or word. */
const WHOLE_SECONDS =
  /(?<![\da-z])(?:(?:19|20)\d\d-?[01]\d-?[0-3]\d[T_-]?[0-2]\d:?[0-5]\d:?[0-5]\d|1\d{9})(?![\da-z])/i

/** Whether an ETag contains a time, but none with fractions of a second. */
export function containsWholeSeconds(etag: string): boolean {
  return WHOLE_SECONDS.test(etag) && !FRACTION.test(etag)
}

/** Reads a module a second time, compressed if possible, and compares both reads. */
export async function* readAgain(
  context: CheckContext,
  section: Section,
  recordType: string,
  first: FirstRead,
): AsyncGenerator<ConformanceLine, void> {
  const { endpoint, findings } = section
  const { comparison } = first
  const versions = new ListedVersions()
  let elements = 0
  let reportedAt = performance.now()
  try {
    const opened = await openModule(context, recordType, { asksForGzip: true })
    const encoding = opened.header('content-encoding')
    const etag = opened.header('etag')
    let page: RecordsPage | null = opened
    // The first read has checked that the pages have an end, and this one reads no more elements.
    const readOf = () => ({ received: elements, references: elements, total: null })
    for (; page && elements < first.elements; page = await page.next(readOf(), () => undefined)) {
      for await (const batch of page.batches()) {
        for (const { value } of batch.elements) {
          const reference = context.rules.referenceOf(value)
          if (reference !== null && elements < first.elements) {
            comparison.addSecond(reference, value)
            versions.add(reference, value)
          }
          elements += 1
        }
        if (first.isCut && elements >= first.elements) break
        if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue
        reportedAt = performance.now()
        yield { kind: 'progress', endpoint, records: elements, bytes: 0 }
      }
    }
    if (encoding !== '') {
      section.addPassed(`The response to a request for compression is encoded as ${encoding}.`)
    }
    compareReads(section, first, { etag, versions })
  } catch (error) {
    const { message } = toPlatformError(context, error)
    findings.add('records.gzip_broken', { params: { reason: message } })
  }
}

function compareReads(
  section: Section,
  first: FirstRead,
  { etag, versions }: { etag: string; versions: ListedVersions },
): void {
  const { findings } = section
  const { records, different, matching } = first.comparison.result()
  if (different === 0) {
    if (records > 0) section.addPassed('Two reads returned the same records.')
    if (records >= MIN_UNSTABLE_RECORDS && !versions.hasCommonBucket(first.versions)) {
      findings.add('digest.version_unstable')
    }
    return
  }
  if (matching === 0 && records >= MIN_UNSTABLE_RECORDS) {
    findings.add('records.unstable', { params: { records } })
  } else findings.add('records.changed', { params: { records: different } })
  if (etag !== '' && etag === first.page.header('etag')) findings.add('records.etag_stale')
}
