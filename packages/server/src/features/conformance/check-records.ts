import type { ConformanceLine } from '@recordhub/protocol'
import { ReadComparison } from '../../domain/conformance/compare-reads.ts'
import { judgeEnvelope } from '../../domain/conformance/judge-envelope.ts'
import type { JudgedModule } from '../../domain/conformance/judge-manifest.ts'
import { judgePace } from '../../domain/conformance/judge-pace.ts'
import { RecordJudge } from '../../domain/conformance/judge-record.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import { HubError } from '../../errors.ts'
import { parseElements, type RecordElement } from '../../platform-client/records/records-chunk.ts'
import { findEnvelopeError, totalOf } from '../../platform-client/records/records-envelope.ts'
import type { RecordsPage } from '../../platform-client/records/records-pages.ts'
import { noteType } from './check-manifest.ts'
import type { CheckContext } from './context.ts'
import type { Section } from './section.ts'

export const PROGRESS_EVERY_MS = 500

/** A record by which the search can be tried. */
export type Sample = { reference: string; name: string }

/** What a first whole read of a module was like, for what is tried after it. */
export type FirstRead = {
  comparison: ReadComparison
  /** How many elements came. */
  elements: number
  isCut: boolean
  page: RecordsPage
  sample: Sample | null
}

type ReadParts = {
  context: CheckContext
  section: Section
  module: JudgedModule
  /** The name that the manifest gives; null where it gives none. */
  platformName: string | null
}

/**
 * Reads a module whole, as a pull does, and judges each element as it comes: memory holds a slice of them and two
 * numbers a record (the process about 550 MB at a million). What ends the read is thrown as it is to a pull.
 */
export async function* readModule(parts: ReadParts): AsyncGenerator<ConformanceLine, FirstRead> {
  const { context, section, module } = parts
  const { endpoint, findings } = section
  const read = new ModuleRead(parts)
  const began = performance.now()
  const first = await openModule(context, module.record_type, { asksForGzip: false })
  const start_ms = performance.now() - began
  noteType(section, first.contentType)
  let toldAt = began
  for (let page: RecordsPage | null = first; page && !read.isCut; page = await nextOf(page, read)) {
    for await (const slice of page.chunks()) {
      read.take(page, parseElements(slice, [...slice.starts.keys()]), slice.tooLarge)
      read.bytes += slice.bytes.length
      page.release(slice)
      yield* section.news()
      if (read.isCut) break
      if (performance.now() - toldAt < PROGRESS_EVERY_MS) continue
      toldAt = performance.now()
      yield { kind: 'progress', endpoint, records: read.elements, bytes: read.bytes }
    }
    if (!read.isCut) read.endPage(page)
  }
  const took_ms = Math.round(performance.now() - began)
  section.measured({ records: read.elements, bytes: read.bytes, took_ms })
  judgePace(findings, { records: read.elements, bytes: read.bytes, start_ms, took_ms })
  read.end()
  if (read.isCut) findings.add('check.cut', { params: { records: read.elements } })
  const { comparison, elements, isCut, sample } = read
  return { comparison, elements, isCut, sample, page: first }
}

/** Begins to read a module, whatever was read of it before. */
export async function openModule(
  { client, target, signal, maxSeconds }: CheckContext,
  recordType: string,
  { asksForGzip }: { asksForGzip: boolean },
): Promise<RecordsPage> {
  const endsAt = performance.now() + maxSeconds * 1000
  const options = { signal, firstByteSeconds: maxSeconds, endsAt, validators: null, asksForGzip }
  const page = await client.openRecords(target, recordType, options)
  if (!page) throw new Error('A 304 came unasked')
  return page
}

function nextOf(page: RecordsPage, { isCut }: { isCut: boolean }): Promise<RecordsPage | null> {
  return isCut ? Promise.resolve(null) : page.next()
}

class ModuleRead {
  readonly comparison = new ReadComparison()
  elements = 0
  bytes = 0
  isCut = false
  sample: Sample | null = null
  readonly #parts: ReadParts
  readonly #judge: RecordJudge
  #total: number | null = null
  /** Elements of the pages before: each page counts its own. */
  #before = 0

  constructor(parts: ReadParts) {
    this.#parts = parts
    this.#judge = new RecordJudge(parts.module, parts.section.findings)
  }

  take(
    page: RecordsPage,
    { elements, error }: { elements: RecordElement[]; error: string | null },
    tooLarge: readonly number[],
  ): void {
    this.#checkEnvelope(page)
    const { findings } = this.#parts.section
    this.elements += tooLarge.length
    for (const index of tooLarge) {
      findings.add('record.too_large', { element: this.#before + index + 1 })
    }
    for (const { value, index, bytes } of elements) {
      if (this.elements >= this.#parts.context.maxRecords) {
        this.isCut = true
        return
      }
      this.elements += 1
      const at = this.#before + index
      this.#judge.judge({ value, index: at, bytes: bytes.length })
      const reference = referenceOf(value)
      if (reference === null) continue
      if (!this.comparison.addFirst(reference, value)) {
        findings.add('record.duplicate', { element: at + 1, reference })
      }
      this.sample ??= sampleOf(reference, value)
    }
    if (error !== null) {
      throw new HubError('platform_answer_invalid', { path: page.path, reason: error })
    }
  }

  endPage(page: RecordsPage): void {
    this.#checkEnvelope(page)
    this.#before = this.elements
    const { section, module } = this.#parts
    if (page.number === 1) judgeEnvelope(page.envelope(), module, section.findings)
  }

  end(): void {
    const { findings } = this.#parts.section
    this.#judge.end()
    if (this.isCut) return
    if (this.elements === 0) findings.add('records.empty')
    if (this.#total !== null && this.#total !== this.elements) {
      const params = { total: this.#total, records: this.elements }
      findings.add('records.total_differs', { field: 'total', params })
    }
  }

  #checkEnvelope(page: RecordsPage): void {
    const { module, platformName } = this.#parts
    const known = page.envelope()
    const platform_name = platformName ?? String(known['platform_name'])
    const fault = findEnvelopeError(known, { ...module, platform_name }, page)
    if (fault) throw fault
    this.#total = totalOf(known) ?? this.#total
  }
}

function sampleOf(reference: string, value: unknown): Sample | null {
  const { full_name } = Object(value)
  const isUsable = typeof full_name === 'string' && full_name.trim() !== ''
  return isUsable ? { reference, name: full_name } : null
}
