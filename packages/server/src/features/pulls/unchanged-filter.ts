import { fingerprint } from '../../domain/record/record.ts'
import { referenceOf } from '../../domain/record/record-input.ts'
import type { PositionRuns } from '../../lib/collections/position-runs.ts'
import { elementBytes } from '../../lib/json/json-chunk.ts'
import {
  parseElements,
  peekReference,
  type RecordElement,
  type RecordsChunk,
} from '../../platform-client/records/records-chunk.ts'
import type { RecordRead, RecordStore } from '../../storage/port/record-store.ts'

/** An element that has to be stored, or looked at closer. */
type ReadElement = RecordElement & { source_hash: string }

export type FilteredElements = {
  /** Of how many elements the records are what is stored already. */
  unchanged: number
  /** All others, up to the first that is no JSON. */
  elements: ReadElement[]
  /** What is wrong with that one, in words; null where there is none. */
  error: string | null
}

/** Where nothing was recognised, so many times nothing is looked up: a first read knows no element. */
const PASS_OVER = 15

/**
 * Tells what has come once more from what has to be parsed: an element is known by the hash of its
 * bytes, which stands at the record that it gave.
 */
export class UnchangedFilter {
  readonly #records: Pick<RecordStore, 'findUnchanged'>
  readonly #read: RecordRead
  readonly #positions: PositionRuns
  #toPassOver = 0

  /** @param positions receives the position of each unchanged record. */
  constructor(
    records: Pick<RecordStore, 'findUnchanged'>,
    read: RecordRead,
    positions: PositionRuns,
  ) {
    this.#records = records
    this.#read = read
    this.#positions = positions
  }

  /**
   * Reads slices that follow each other. The ids of the unchanged records are added to `read.seen`.
   * @param before number of elements on the pages before this one.
   */
  async read(slices: RecordsChunk[], before: number): Promise<FilteredElements> {
    const sightings = slices.map((slice) => this.#see(slice))
    const known = await this.#recognise(sightings.flat())
    const left = parseUnknown(slices, sightings, known)
    // The first of two elements of one record stands, so their order must be kept.
    if (known.size > 0 && (left.error !== null || namesAny(left.elements, known))) {
      return { unchanged: 0, ...parseUnknown(slices, sightings, new Map()) }
    }
    for (const [{ index }, record_id] of known) {
      this.#read.seen.add(record_id)
      this.#positions.add(record_id, before + index + 1)
    }
    return { unchanged: known.size, ...left }
  }

  #see(slice: RecordsChunk): Sighting[] {
    return slice.starts.map((_, position) => ({
      index: slice.firstIndex + position,
      reference_number: peekReference(slice, position),
      source_hash: fingerprint(this.#read.manifest_hash, elementBytes(slice, position)),
    }))
  }

  async #recognise(sightings: Sighting[]): Promise<KnownElements> {
    const known: KnownElements = new Map()
    if (this.#toPassOver > 0) {
      this.#toPassOver -= 1
      return known
    }
    const guessed = sightings.filter(hasReference)
    const ids = await this.#records.findUnchanged(this.#read, guessed)
    const met = new Set<number>()
    for (const [index, sighting] of guessed.entries()) {
      const record_id = ids[index] ?? null
      if (record_id === null || met.has(record_id) || this.#read.seen.has(record_id)) continue
      met.add(record_id)
      known.set(sighting, record_id)
    }
    if (known.size === 0) this.#toPassOver = PASS_OVER
    return known
  }
}

/** `index`: in `records` of its page. */
type Sighting = { index: number; reference_number: string | null; source_hash: string }
/** With the ids of their records. */
type KnownElements = Map<Sighting, number>

function hasReference(sighting: Sighting): sighting is Sighting & { reference_number: string } {
  return sighting.reference_number !== null
}

function parseUnknown(
  slices: RecordsChunk[],
  sightings: Sighting[][],
  known: KnownElements,
): Pick<FilteredElements, 'elements' | 'error'> {
  const elements: ReadElement[] = []
  for (const [number, slice] of slices.entries()) {
    const seen = sightings[number] ?? []
    const unknown = seen.flatMap((sighting, position) => (known.has(sighting) ? [] : [position]))
    const parsed = parseElements(slice, unknown)
    for (const element of parsed.elements) {
      const { source_hash = '' } = seen[element.index - slice.firstIndex] ?? {}
      elements.push({ ...element, source_hash })
    }
    if (parsed.error !== null) return { elements, error: parsed.error }
  }
  return { elements, error: null }
}

function namesAny(elements: ReadElement[], known: KnownElements): boolean {
  const references = new Set([...known.keys()].map((sighting) => sighting.reference_number))
  return elements.some(({ value }) => references.has(referenceOf(value)))
}
