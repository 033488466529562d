import { fingerprintOf } from '../../domain/pull/unchanged.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import type { PositionRuns } from '../../lib/collections/position-runs.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { elementBytes } from '../../lib/json/json-chunk.ts'
import {
  peekReference,
  type RecordElement,
  type RecordsChunk,
  readElements,
  toBuffer,
} from '../../platform-client/records/records-chunk.ts'
import type { RecordRead, RecordStore } from '../../storage/port/record-store.ts'

/** An element whose record may have changed. `fingerprint` is the hash of its bytes. */
export type FilteredElement = { element: RecordElement; fingerprint: string }

/** The elements of a batch of chunks. */
export type FilteredElements = {
  chunks: RecordsChunk[]
  hashed: HashedElement[][]
  /** The elements whose record is unchanged. */
  unchanged: UnchangedElements
  /** All other elements, up to the first one that is not valid JSON. */
  elements: FilteredElement[]
  /** The error of the element that is not valid JSON; null if all are valid. */
  error: string | null
}

/** Number of batches that skip the look-up after one without a match: the first read of a module has no matches. */
const SKIP_AFTER_MISS = 15

/**
 * Separates the elements whose record is unchanged from those that must be read. An element is unchanged if the hash
 * of its bytes is stored with its record.
 */
export class UnchangedFilter {
  readonly #records: Pick<RecordStore, 'findUnchanged'>
  readonly #read: RecordRead
  readonly #positions: PositionRuns
  #toSkip = 0

  /**
   * @param positions receives the position of each unchanged record.
   * @param options `readsAll`: no element is found unchanged, so that all are read.
   */
  constructor(
    records: Pick<RecordStore, 'findUnchanged'>,
    read: RecordRead,
    positions: PositionRuns,
    { readsAll = false }: { readsAll?: boolean } = {},
  ) {
    this.#records = records
    this.#read = read
    this.#positions = positions
    if (readsAll) this.#toSkip = Number.POSITIVE_INFINITY
  }

  /** Filters consecutive chunks. The previous batch may still be in the process of being stored. */
  async filter(chunks: RecordsChunk[]): Promise<FilteredElements> {
    const hashed = chunks.map((chunk) => this.#hashElements(chunk))
    const unchanged = await this.#findUnchanged(hashed.flat())
    const filtered = await readOthers({ chunks, hashed, unchanged })
    const { elements, error } = filtered
    // The first of two elements with the same reference number is stored, so their order must be preserved.
    const isOrdered = unchanged.size === 0 || (error === null && !namesAny(elements, unchanged))
    return isOrdered ? filtered : this.readAll(filtered)
  }

  /**
   * Adds the ids of the unchanged records to `read.seen`. The previous batch must have been stored.
   * @param before number of elements on the pages before this one.
   * @returns false if an earlier element has the reference number of an unchanged one; then nothing is added, and the
   *   caller must store the elements of `readAll`.
   */
  confirmUnchanged({ unchanged }: FilteredElements, before: number): boolean {
    const { seen } = this.#read
    for (const record_id of unchanged.values()) if (seen.has(record_id)) return false
    for (const [{ index }, record_id] of unchanged) {
      seen.add(record_id)
      this.#positions.add(record_id, before + index + 1)
    }
    return true
  }

  /** Reads all elements of a batch, including the unchanged ones. */
  readAll({ chunks, hashed }: FilteredElements): Promise<FilteredElements> {
    return readOthers({ chunks, hashed, unchanged: new Map() })
  }

  #hashElements(chunk: RecordsChunk): HashedElement[] {
    const text = toBuffer(chunk)
    return chunk.starts.map((_, position) => ({
      index: chunk.firstIndex + position,
      reference_number: peekReference(text, chunk, position),
      fingerprint: fingerprintOf(this.#read.manifest_hash, elementBytes(chunk, position)),
    }))
  }

  async #findUnchanged(hashed: HashedElement[]): Promise<UnchangedElements> {
    const unchanged: UnchangedElements = new Map()
    if (this.#toSkip > 0) {
      this.#toSkip -= 1
      return unchanged
    }
    const named = hashed.filter(hasReference)
    const ids = await this.#records.findUnchanged(this.#read, named)
    const found = new Set<number>()
    for (const [index, element] of named.entries()) {
      const record_id = ids[index] ?? null
      if (record_id === null || found.has(record_id)) continue
      found.add(record_id)
      unchanged.set(element, record_id)
    }
    if (unchanged.size === 0) this.#toSkip = SKIP_AFTER_MISS
    return unchanged
  }
}

/** `index` is the index of the element in `records` of its page. */
type HashedElement = { index: number; reference_number: string | null; fingerprint: string }
/** The unchanged elements with the ids of their records. */
type UnchangedElements = Map<HashedElement, number>

function hasReference(
  element: HashedElement,
): element is HashedElement & { reference_number: string } {
  return element.reference_number !== null
}

async function readOthers(
  batch: Pick<FilteredElements, 'chunks' | 'hashed' | 'unchanged'>,
): Promise<FilteredElements> {
  const { chunks, hashed, unchanged } = batch
  const elements: FilteredElement[] = []
  for (const [number, chunk] of chunks.entries()) {
    const ofChunk = hashed[number] ?? []
    const others: number[] = []
    ofChunk.forEach((element, position) => {
      if (!unchanged.has(element)) others.push(position)
    })
    const read = readElements(chunk, others)
    for (const element of read.elements) {
      const { fingerprint = '' } = ofChunk[element.index - chunk.firstIndex] ?? {}
      elements.push({ element, fingerprint })
    }
    if (read.error !== null) return { ...batch, elements, error: read.error }
    // The statements of the commit in progress are sent between two chunks.
    await yieldToEventLoop()
  }
  return { ...batch, elements, error: null }
}

function namesAny(elements: FilteredElement[], unchanged: UnchangedElements): boolean {
  const references = new Set([...unchanged.keys()].map((element) => element.reference_number))
  return elements.some(({ element }) =>
    references.has(element.record?.reference_number ?? referenceOf(element.value)),
  )
}
