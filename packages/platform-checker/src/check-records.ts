import type { ConformanceLine } from '@recordhub/protocol'
import type { CheckContext } from './check-context.ts'
import { validateContentType } from './check-manifest.ts'
import { ReadComparison } from './compare-reads.ts'
import type { RecordsBatch, RecordsPage } from './hub.ts'
import { ListedVersions } from './listed-versions.ts'
import type { Section } from './section.ts'
import type { CheckedModule } from './validate-manifest.ts'
import { RecordValidator } from './validate-record.ts'
import { validateEnvelope, validateSpeed } from './validate-records-response.ts'

export const PROGRESS_INTERVAL_MS = 500

/** A record with which the search is tested. */
export type Sample = { reference: string; name: string }

/** The result of the first complete read of a module, for the checks after it. */
export type FirstRead = {
  comparison: ReadComparison
  /** The number of elements read. */
  elements: number
  /** Whether the limit of records ended the read. */
  isCut: boolean
  page: RecordsPage
  sample: Sample | null
  versions: ListedVersions
}

type ReadOptions = {
  context: CheckContext
  section: Section
  module: CheckedModule
  /** The name in the manifest; null without one. */
  platformName: string | null
}

/**
 * Reads a module as a pull does, and validates each element as it arrives. Memory holds one batch of elements and two
 * numbers per record (about 550 MB for the process at a million records). Errors that end the read are thrown.
 */
export async function* readModule(
  options: ReadOptions,
): AsyncGenerator<ConformanceLine, FirstRead> {
  const { context, section, module } = options
  const { endpoint, findings } = section
  const reader = new ModuleReader(options)
  const began = performance.now()
  const first = await openModule(context, module.record_type, { asksForGzip: false })
  const start_ms = performance.now() - began
  validateContentType(section, first.contentType)
  let reportedAt = began
  for (let page: RecordsPage | null = first; page; page = await reader.openNext(page)) {
    for await (const batch of page.batches()) {
      reader.addBatch(page, batch)
      yield* section.newFindings()
      if (reader.isCut) break
      if (performance.now() - reportedAt < PROGRESS_INTERVAL_MS) continue
      reportedAt = performance.now()
      yield { kind: 'progress', endpoint, records: reader.elements, bytes: reader.bytes }
    }
    if (!reader.isCut) reader.endPage(page)
  }
  const took_ms = Math.round(performance.now() - began)
  const { comparison, elements, bytes, isCut, sample, versions } = reader
  section.setMeasurements({ records: elements, bytes, took_ms })
  const hasValidators = first.header('etag') !== '' || first.header('last-modified') !== ''
  validateSpeed(findings, { records: elements, bytes, start_ms, took_ms, hasValidators })
  reader.end()
  if (isCut) findings.add('check.cut', { params: { records: elements } })
  return { comparison, elements, isCut, sample, versions, page: first }
}

/** Requests the records of a module without conditions. */
export function openModule(
  { client, target, signal, maxSeconds }: CheckContext,
  recordType: string,
  { asksForGzip }: { asksForGzip: boolean },
): Promise<RecordsPage> {
  return client.openRecords(target, recordType, { signal, maxSeconds, asksForGzip })
}

class ModuleReader {
  readonly comparison = new ReadComparison()
  readonly versions = new ListedVersions()
  elements = 0
  bytes = 0
  isCut = false
  sample: Sample | null = null
  readonly #options: ReadOptions
  readonly #validator: RecordValidator
  #total: number | null = null
  /** The number of elements on the previous pages, since each page counts its own. */
  #previous = 0
  #references = 0

  constructor(options: ReadOptions) {
    const { context, section, module } = options
    this.#options = options
    this.#validator = new RecordValidator(module, section.findings, context.rules)
  }

  addBatch(page: RecordsPage, { elements, tooLarge, bytes, error }: RecordsBatch): void {
    this.#checkEnvelope(page)
    const { context, section } = this.#options
    const { findings } = section
    this.bytes += bytes
    this.elements += tooLarge.length
    for (const index of tooLarge) {
      findings.add('record.too_large', { element: this.#previous + index + 1 })
    }
    for (const { value, index, bytes } of elements) {
      if (this.elements >= context.maxRecords) {
        this.isCut = true
        return
      }
      this.elements += 1
      const at = this.#previous + index
      this.#validator.validate({ value, index: at, bytes })
      const reference = context.rules.referenceOf(value)
      if (reference === null) continue
      if (this.versions.add(reference, value) === 'invalid') {
        findings.add('digest.version', { element: at + 1, reference })
      }
      if (!this.comparison.addFirst(reference, value)) {
        findings.add('record.duplicate', { element: at + 1, reference })
      } else this.#references += 1
      this.sample ??= toSample(reference, value)
    }
    if (error !== null) throw error
  }

  endPage(page: RecordsPage): void {
    this.#checkEnvelope(page)
    this.#previous = this.elements
    const { section, module } = this.#options
    if (page.envelope()['success'] !== true) section.findings.add('records.success')
    if (page.number === 1) validateEnvelope(page.envelope(), module, section.findings)
  }

  async openNext(page: RecordsPage): Promise<RecordsPage | null> {
    if (this.isCut) return null
    const { findings } = this.#options.section
    const read = { received: this.elements, references: this.#references, total: this.#total }
    return page.next(read, () => findings.add('records.last_page_linked'))
  }

  end(): void {
    const { findings } = this.#options.section
    this.#validator.end()
    if (this.isCut) return
    if (this.elements === 0) findings.add('records.empty')
    if (this.#total !== null && this.#total !== this.elements) {
      const params = { total: this.#total, records: this.elements }
      findings.add('records.total_differs', { field: 'total', params })
    }
  }

  #checkEnvelope(page: RecordsPage): void {
    const { module, platformName } = this.#options
    page.assertEnvelope({ record_type: module.record_type, platform_name: platformName })
    this.#total = page.total() ?? this.#total
  }
}

function toSample(reference: string, value: unknown): Sample | null {
  const { full_name } = Object(value)
  const isUsable = typeof full_name === 'string' && full_name.trim() !== ''
  return isUsable ? { reference, name: full_name } : null
}
