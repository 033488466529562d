/** The version of a record, which its platform sends beside `data` and changes whenever anything in the element changes. */
import { MAX_VERSION_BYTES } from '@recordhub/protocol'
import { copyText, isStorableText } from '../../lib/text/code-points.ts'
import type { NewRecordState, PulledContent, WriteDecision } from './record.ts'

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/

/**
 * Returns the version of a parsed element as text: a non-empty text, or the digits of an integer. Anything else, such as
 * a fraction, an object or a longer text, is no version (null), which rejects nothing.
 * @param value a value of lossless JSON; undefined if the element has no version.
 */
export function toVersion(value: unknown): string | null {
  if (typeof value === 'string') return isVersionText(value) ? copyText(value) : null
  if (typeof value === 'number') return readNumber(String(value))
  // Lossless JSON keeps the digits of a number that JavaScript would round.
  return JSON.isRawJSON(value) ? readNumber(value.rawJSON) : null
}

function readNumber(text: string): string | null {
  return INTEGER.test(text) && isVersionText(text) ? copyText(text) : null
}

function isVersionText(text: string): boolean {
  if (text === '' || text.length > MAX_VERSION_BYTES) return false
  return Buffer.byteLength(text) <= MAX_VERSION_BYTES && isStorableText(text)
}

/**
 * What a pulled record changed without the other: only its `version`, or its `content` under an equal version, which a
 * platform must not do. Null if both have changed, none has, or one of the versions is unknown.
 * @param stored the record before the write.
 */
export function findChangedAlone(
  stored: NewRecordState | null,
  { version, fingerprint }: Pick<PulledContent, 'version' | 'fingerprint'>,
  { outcome }: Pick<WriteDecision, 'outcome'>,
): 'version' | 'content' | null {
  if (stored === null || stored.version === null || version === null) return null
  if (outcome === 'unchanged') return stored.version === version ? null : 'version'
  if (outcome !== 'updated' || stored.version !== version) return null
  // With another manifest, the same bytes may leave other content.
  return bytesOf(stored.fingerprint) === bytesOf(fingerprint) ? null : 'content'
}

/** The hash of the bytes in a fingerprint, without that of the manifest (`fingerprintOf`). */
function bytesOf(fingerprint: string | null): string | null {
  return fingerprint === null ? null : fingerprint.slice(fingerprint.indexOf('.') + 1)
}
