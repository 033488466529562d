/** The body of a push, which is parsed only if necessary. */
import {
  MAX_JSON_DEPTH,
  MAX_NUMBER_LENGTH,
  MAX_RECORD_TYPE_BYTES,
  MAX_REFERENCE_BYTES,
} from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { type ScannedObject, StoredFormScanner } from '../../lib/json/stored-form.ts'
import {
  type Checked,
  checkPush,
  type PushInput,
  readOccurredAt,
  readPlainText,
  scanData,
} from './record-input.ts'

const scanner = new StoredFormScanner({
  maxDepth: MAX_JSON_DEPTH,
  maxNumberLength: MAX_NUMBER_LENGTH,
  innerKey: 'data',
})

/** PHP writes it by default. It is not in the stored form, and finding it costs less than a scan up to it. */
const ESCAPED_SLASH = '\\/'

/** Lossless JSON that is safe by `findUnsafeJson`. */
export class PushBody {
  readonly bytes: Buffer
  /** Null unless the bytes are an object in the stored form. Also null for some texts in this form. */
  readonly scanned: ScannedObject | null
  #value: unknown

  /** @param parse parses bytes that are not in the stored form, and throws an error if they are not safe JSON. */
  constructor(bytes: Buffer, parse: (bytes: Buffer) => unknown) {
    this.bytes = bytes
    this.scanned = bytes.includes(ESCAPED_SLASH) ? null : scanner.scan(bytes, 0, bytes.length)
    this.#value = this.scanned === null ? parse(bytes) : undefined
  }

  /** The parsed body. */
  get value(): unknown {
    if (this.#value === undefined) this.#value = parseLossless(this.bytes.toString())
    return this.#value
  }
}

/** Validates the body of a POST or PATCH as {@link checkPush} does. */
export function checkPushBody(
  method: 'POST' | 'PATCH',
  body: PushBody,
  now: Date,
): Checked<PushInput> {
  const input = scanPush(method, body, now)
  return input ? { outcome: 'valid', input } : checkPush(method, body.value, now)
}

/** Reads a push without parsing it. Returns null unless it is valid and its text is in the stored form. */
function scanPush(
  method: 'POST' | 'PATCH',
  { bytes, scanned }: PushBody,
  now: Date,
): PushInput | null {
  if (!scanned?.inner) return null
  const { members, inner } = scanned
  const { keys } = members
  const record_type = readPlainText(bytes, members, 'record_type')
  const reference_number = readPlainText(bytes, members, 'reference_number')
  if (!record_type || Buffer.byteLength(record_type) > MAX_RECORD_TYPE_BYTES) return null
  if (!reference_number || Buffer.byteLength(reference_number) > MAX_REFERENCE_BYTES) return null
  const module_name = readPlainText(bytes, members, 'module_name')
  const full_name = readPlainText(bytes, members, 'full_name')
  // A PATCH may leave them out.
  const isRequired = (name: string) => method === 'POST' || keys.includes(name)
  if (module_name === null && isRequired('module_name')) return null
  if (full_name === null && isRequired('full_name')) return null
  const text = readPlainText(bytes, members, 'occurred_at')
  if (text === null && keys.includes('occurred_at')) return null
  const platform_name = readPlainText(bytes, members, 'platform_name')
  if (platform_name === null && keys.includes('platform_name')) return null
  const occurred = readOccurredAt(text, now)
  if (occurred.error !== null) return null
  return {
    record_type,
    reference_number,
    module_name,
    full_name,
    occurred_at: occurred.at,
    platform_name,
    warnings: occurred.warning === null ? [] : [occurred.warning],
    ...scanData(bytes, members, inner),
  }
}
