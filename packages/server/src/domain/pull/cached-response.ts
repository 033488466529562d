/** What is kept of a records answer, to ask the next time whether it still holds (RFC 9110, 13.1). */
import { sha256 } from '../../lib/crypto/hash.ts'

/** Header values that a platform gave an answer; at least one is there. */
export type Validators = { etag: string | null; last_modified: string | null }

export type CachedResponse = Validators & {
  /** Stands for what the answer was read under: under another one it says nothing. */
  read_tag: string
  /** How many records the answer brought. */
  records: number
  /** How many pushes the module had had when the answer was asked for. */
  pushes: number
  /** The members that the answer lacked beside its records: it lacks them as long as it holds. */
  missing_members: string[]
}

const ETAG = /^(?:W\/)?"[\x21\x23-\x7e]{0,500}"$/
const HTTP_DATE = /^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d GMT$/

/**
 * The validators of an answer that may be sent back as they are; null for none. A `Last-Modified` from
 * within the second of the answer is none: what changes later in that second would bear the same.
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

/** The headers that ask for the answer only where it is another one now. */
export function conditionalHeaders({ etag, last_modified }: Validators): Record<string, string> {
  return {
    ...(etag === null ? {} : { 'If-None-Match': etag }),
    ...(last_modified === null ? {} : { 'If-Modified-Since': last_modified }),
  }
}

/** Stands for the circumstances of a read: the manifest's keys, and where it was asked. */
export function readTag(circumstances: { manifest_tag: string; source_base_url: string }): string {
  const { manifest_tag, source_base_url } = circumstances
  return `2.${manifest_tag}.${sha256(source_base_url).slice(0, 8)}`
}

/** What came of a read, as far as it tells whether the answer may be relied on the next time. */
export type ReadResult = {
  isComplete: boolean
  pages: number
  stale: number
  rejected: number
  warnings: number
}

/** Only an answer that says the whole state of the module, and left nothing open, speaks for it later. */
export function isCacheable(result: ReadResult): boolean {
  const { isComplete, pages, stale, rejected, warnings } = result
  return isComplete && pages === 1 && stale + rejected + warnings === 0
}
