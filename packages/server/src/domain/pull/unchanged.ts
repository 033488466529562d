/** What a pull need not read again: a response that it requests conditionally (RFC 9110, 13.1), and unchanged elements. */
import type { Field } from '@recordhub/protocol'
import { sha256 } from '../../lib/crypto/hash.ts'
import { toManifestKeys } from '../record/drift.ts'

/** The validators of a response. At least one of them is set. */
export type Validators = { etag: string | null; last_modified: string | null }

export type CachedResponse = Validators & {
  /** Identifies the manifest and the source of the read. The response is not used with any others. */
  read_fingerprint: string
  /** The number of records in the response. */
  records: number
  /** How many events had invalidated cached responses of the module before the request: pushes, and for example erasures. */
  version: number
  /** The required members that the response lacked. They are reported as long as the response is valid. */
  missing_members: string[]
}

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,500}"$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * Returns the validators of a response that may be sent back unchanged; null without any. A `Last-Modified` within the
 * second of the response is not a validator: a change later in that second would have the same value.
 */
export function findValidators(headers: {
  etag: string
  last_modified: string
  date: string
}): Validators | null {
  const etag = ETAG.test(headers.etag) ? headers.etag : null
  const age = Date.parse(headers.date) - Date.parse(headers.last_modified)
  const isOld = HTTP_DATE.test(headers.last_modified) && age >= 1000
  const last_modified = isOld ? headers.last_modified : null
  return etag === null && last_modified === null ? null : { etag, last_modified }
}

/** The headers of a conditional request. */
export function conditionalHeaders({ etag, last_modified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'If-None-Match': etag }),
    ...(last_modified === null ? {} : { 'If-Modified-Since': last_modified }),
  }
}

const HOUR_MS = 3_600_000
/** The multiples of this number (the golden ratio) spread the modules evenly, however many there are. */
const SPREAD = 0.618_033_988_749_895

/**
 * Whether a read must ask for all records: a validator that stays the same would hide a change for ever. Each module has
 * its own moment within a period of `fullPullHours`, so that not all modules are due at once.
 */
export function isFullReadDue(
  module: { module_id: number; full_read_at: string | null },
  { now, fullPullHours }: { now: Date; fullPullHours: number },
): boolean {
  if (module.full_read_at === null) return true
  const period = fullPullHours * HOUR_MS
  const moment = ((module.module_id * SPREAD) % 1) * period
  const periodOf = (at: number) => Math.floor((at - moment) / period)
  // Not equal also if the clock was set back.
  return periodOf(now.getTime()) !== periodOf(Date.parse(module.full_read_at))
}

/** Identifies the keys of the manifest and the source of a read. */
export function readFingerprint(context: {
  manifest_hash: string
  source_base_url: string
}): string {
  const { manifest_hash, source_base_url } = context
  return `2.${manifest_hash}.${sha256(source_base_url).slice(0, 8)}`
}

/** As {@link readFingerprint}, from the stored fields of a module. What was found with one manifest is not used with another. */
export function identifyManifest(
  fields: readonly Pick<Field, 'key' | 'type' | 'required'>[],
  source_base_url: string,
): string {
  const manifest_hash = manifestHash(toManifestKeys(fields).known)
  return readFingerprint({ manifest_hash, source_base_url })
}

/** The results of a read that determine whether its response may be cached. */
type ReadResult = {
  isComplete: boolean
  pages: number
  stale: number
  held: number
  rejected: number
  warnings: number
}

/** Only a response of one page that was stored completely and without problems may be cached. */
export function isCacheable(result: ReadResult): boolean {
  const { isComplete, pages, stale, held, rejected, warnings } = result
  return isComplete && pages === 1 && stale + held + rejected + warnings === 0
}

/**
 * Whether the stored record was last written from the same bytes, which then need not be parsed. Requires only a few
 * columns of the record.
 */
export function isUnchanged(
  stored: {
    fingerprint: string | null
    incomplete: boolean
    missing_since: string | null
    pushed_seq: number
  },
  content: { fingerprint: string },
  read: { snapshotSeq: number },
): boolean {
  return (
    stored.fingerprint === content.fingerprint &&
    !stored.incomplete &&
    stored.missing_since === null &&
    stored.pushed_seq <= read.snapshotSeq
  )
}

/** The fingerprint of a received element: a hash of its bytes, prefixed with that of the manifest. */
export function fingerprintOf(manifestHash: string, bytes: Uint8Array): string {
  return `${manifestHash}.${sha256(bytes)}`
}

/** A hash of the keys that a manifest names, for fingerprints. */
export function manifestHash(keys: Iterable<string>): string {
  return sha256(JSON.stringify([...keys].sort())).slice(0, 8)
}
