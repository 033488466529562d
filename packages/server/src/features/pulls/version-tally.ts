/** What a read finds about the versions of its elements, and about the elements that it does not store. */
import { hash } from 'node:crypto'
import type { Buckets, Sums } from '../../domain/pull/digest.ts'
import { plus, UNVERSIONED_SUM } from '../../domain/pull/digest.ts'
import { hashOfVersion, STORED_DIGITS } from '../../domain/record/digest-sums.ts'
import { HubError } from '../../errors.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'

/** `version`: null for an element without one. */
export type Identity = { reference_number: string; version: string | null }

/** What one record adds to the sums of its bucket. @param unversioned what it adds without a version. */
function sumsOf({ reference_number, version }: Identity, unversioned: number): Sums {
  return {
    count: 1,
    sum: version === null ? unversioned : hashOfVersion(reference_number, version),
  }
}

/** The first `digits` hex digits of the md5 of a reference. */
export function bucketOf(reference: string, digits: number): string {
  return hash('md5', reference, 'hex').slice(0, digits)
}

/** Adds a record of the platform to the sums of its bucket of three digits. */
function addListed(sums: Map<string, Sums>, identity: Identity): void {
  addTo(sums, identity, sumsOf(identity, 0))
}

/** Adds a stored record to the sums of its bucket of three digits. */
export function addStored(sums: Map<string, Sums>, identity: Identity): void {
  addTo(sums, identity, sumsOf(identity, UNVERSIONED_SUM))
}

function addTo(sums: Map<string, Sums>, { reference_number }: Identity, added: Sums): void {
  const prefix = bucketOf(reference_number, STORED_DIGITS)
  sums.set(prefix, plus(sums.get(prefix) ?? { count: 0, sum: 0 }, added))
}

export class VersionTally {
  /** The elements that were not found unchanged by their bytes. */
  read = 0
  /** Of those, the elements without a version. */
  unversioned = 0
  /** The records of which only the version has changed. */
  versionsAlone = 0
  /** The records whose content has changed under an equal version, and the first one. */
  contentAlone = 0
  firstContentAlone: string | null = null
  /** The number of elements whose reference is unknown. */
  unidentified = 0
  readonly #sumsNotStored = new Map<string, Sums>()
  readonly #sumsRejected = new Map<string, Sums>()
  readonly #sumsHeld = new Map<string, Sums>()
  readonly #elements = new Map<string, Sums>()
  /** A stored element of each bucket. Others may be of an erased person. */
  readonly #named = new Map<string, Identity>()
  readonly #lengths: number[]
  readonly #prefixes: ReadonlySet<string>

  /** @param prefixes of the buckets that are read; none for a read of the whole list. */
  constructor(prefixes: readonly string[]) {
    this.#prefixes = new Set(prefixes)
    this.#lengths = [...new Set(prefixes.map((prefix) => prefix.length))]
  }

  /** The elements by the prefix of the bucket that was requested. */
  get elements(): Buckets {
    return this.#elements
  }

  /** The sums of the elements that are not stored, by the first three digits. */
  get sumsNotStored(): Buckets {
    return this.#sumsNotStored
  }

  /** Of these, the sums of the elements that were rejected, accepted exceptions included. */
  get sumsRejected(): Buckets {
    return this.#sumsRejected
  }

  /** The sums of the stored records of which a revert holds values, by the first three digits. */
  get sumsHeld(): Buckets {
    return this.#sumsHeld
  }

  /**
   * Adds an element before it is stored.
   * @throws HubError `platform_ignores_prefix` for an element of no bucket that is read.
   */
  addElement(
    element: { reference_number: string | null; version: string | null },
    path: string,
  ): void {
    const { reference_number, version } = element
    this.read += 1
    if (version === null) this.unversioned += 1
    if (this.#lengths.length === 0) return
    if (reference_number === null) {
      this.unidentified += 1
      return
    }
    const prefix = this.#prefixOf(reference_number)
    if (prefix === undefined) throw new HubError('platform_ignores_prefix', { path })
    const before = this.#elements.get(prefix) ?? { count: 0, sum: 0 }
    this.#elements.set(prefix, plus(before, sumsOf({ reference_number, version }, 0)))
  }

  #prefixOf(reference: string): string | undefined {
    const hashed = hash('md5', reference, 'hex')
    return this.#lengths
      .map((length) => hashed.slice(0, length))
      .find((prefix) => this.#prefixes.has(prefix))
  }

  /** The first element of a bucket that was stored; undefined without one. */
  namedIn(prefix: string): Identity | undefined {
    return this.#named.get(prefix)
  }

  /** Adds an element that was rejected, or whose record is erased. */
  addNotStored(reference: string | null, version: string | null, isErased: boolean): void {
    if (reference === null) return
    const identity = { reference_number: reference, version }
    addListed(this.#sumsNotStored, identity)
    if (!isErased) addListed(this.#sumsRejected, identity)
  }

  /** Adds an element that a revert has kept out of its record. @param isPresent whether the record is not missing. */
  addHeld(identity: Identity, isPresent: boolean): void {
    addListed(this.#sumsNotStored, identity)
    if (isPresent) addStored(this.#sumsHeld, { ...identity, version: null })
  }

  /** Adds the outcome of a write that was not rejected. */
  addStored(
    identity: Identity,
    { changed_alone }: Extract<WriteOutcome, { record_id: number; module_name: string }>,
  ): void {
    const { reference_number } = identity
    const prefix = this.#lengths.length > 0 ? this.#prefixOf(reference_number) : undefined
    if (prefix !== undefined && !this.#named.has(prefix)) this.#named.set(prefix, identity)
    if (changed_alone === 'version') this.versionsAlone += 1
    if (changed_alone !== 'content') return
    this.contentAlone += 1
    this.firstContentAlone ??= reference_number
  }
}
