/** Validates records that platforms send, pushed or pulled. */
import {
  ChangedRecordPush,
  MAX_JSON_DEPTH,
  MAX_NAME_LENGTH,
  MAX_NUMBER_LENGTH,
  MAX_RECORD_TYPE_BYTES,
  MAX_REFERENCE_BYTES,
  MAX_VERSION_BYTES,
  NewRecordPush,
  PulledRecord,
} from '@recordhub/protocol'
import {
  findUnsafeJson,
  isJsonObject,
  type JsonObject,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import { Compile } from 'typebox/compile'
import {
  type ScannedMembers,
  type ScannedObject,
  StoredFormScanner,
} from '../../lib/json/stored-form.ts'
import { copyText, isStorableText } from '../../lib/text/code-points.ts'
import { formatRfc3339, parseRfc3339 } from '../../lib/time/rfc3339.ts'
import type { DataMembers } from './drift.ts'
import { findKindMismatch, findKindMismatchOfText } from './field-types.ts'
import type { JsonText } from './json-text.ts'
import { toVersion } from './version.ts'

const isNewRecord = Compile(NewRecordPush)
const isChangedRecord = Compile(ChangedRecordPush)
const isPulledRecord = Compile(PulledRecord)

/** How far a platform's clock may be ahead before its `occurred_at` is ignored. */
const MAX_AHEAD_MS = 5 * 60 * 1000

/** The data of a valid record. */
type DataInput<Data extends JsonText> = {
  /** Lossless JSON, as `stringifyLossless` writes it. */
  data: Data
  members: DataMembers
}

/** The bytes of `data` are those of the body. */
export type PushInput = DataInput<JsonText> & {
  record_type: string
  reference_number: string
  /** Null if a PATCH leaves it out. */
  module_name: string | null
  full_name: string | null
  occurred_at: string | null
  /** The `platform_name` of the body, which is not part of a push; null without one. */
  platform_name: unknown
  warnings: string[]
}

/** The bytes of `data` are those of the response, so they must not be used after its chunk was released. */
export type PulledInput<Data extends JsonText = JsonText> = DataInput<Data> & {
  reference_number: string
  full_name: string
  /** Null for an element without one. */
  version: string | null
}

/** `errors`: by the name of the member. */
export type Checked<Input> =
  | { outcome: 'valid'; input: Input }
  | { outcome: 'invalid'; errors: Record<string, string[]> }

/** Validates the body of a POST or PATCH to the receiver. Does not coerce types. */
export function checkPush(method: 'POST' | 'PATCH', body: unknown, now: Date): Checked<PushInput> {
  const isPush = method === 'POST' ? isNewRecord : isChangedRecord
  if (!isPush.Check(body)) return invalid(describeSchemaErrors(isPush.Errors(body)))
  if (Buffer.byteLength(body.record_type) > MAX_RECORD_TYPE_BYTES) {
    return invalid({ record_type: [longerThan(MAX_RECORD_TYPE_BYTES)] })
  }
  const errors = findErrors(body)
  if (errors !== null) return invalid(errors)
  const occurred = readOccurredAt(body.occurred_at, now)
  if (occurred.error !== null) return invalid({ occurred_at: [occurred.error] })
  return {
    outcome: 'valid',
    input: {
      record_type: copyText(body.record_type),
      reference_number: copyText(body.reference_number),
      module_name: body.module_name ?? null,
      full_name: body.full_name ?? null,
      ...toDataInput(body.data),
      occurred_at: occurred.at,
      platform_name: Reflect.get(body, 'platform_name') ?? null,
      warnings: occurred.warning === null ? [] : [occurred.warning],
    },
  }
}

/** Validates an element of a records response. */
export function checkPulled(element: unknown): Checked<PulledInput<string>> {
  const unsafe = findUnsafeJson(element, MAX_JSON_DEPTH)
  if (unsafe !== null) return invalid({ record: [UNSAFE_MESSAGES[unsafe]] })
  if (!isPulledRecord.Check(element))
    return invalid(describeSchemaErrors(isPulledRecord.Errors(element)))
  const errors = findErrors(element)
  if (errors !== null) return invalid(errors)
  const { full_name, data } = element
  const reference_number = copyText(element.reference_number)
  const version = toVersion(Reflect.get(element, 'version'))
  return { outcome: 'valid', input: { reference_number, full_name, version, ...toDataInput(data) } }
}

const SCAN = { maxDepth: MAX_JSON_DEPTH, maxNumberLength: MAX_NUMBER_LENGTH, innerKey: 'data' }
/** Each remembers the keys of its own objects. */
const elementScanner = new StoredFormScanner(SCAN)
const pushScanner = new StoredFormScanner(SCAN)

/**
 * Reads an element of a records response without parsing it. Returns null unless it is valid and its text is in the
 * stored form. Any other element must be parsed and passed to {@link checkPulled}.
 * @param bytes contains the element from `start` to `end`, and must not change while the result is used.
 */
export function scanPulled(bytes: Buffer, start: number, end: number): PulledInput | null {
  const scanned = elementScanner.scan(bytes, start, end)
  if (!scanned) return null
  const { members, inner } = scanned
  const reference_number = readPlainText(bytes, members, 'reference_number')
  const full_name = readPlainText(bytes, members, 'full_name')
  if (!reference_number || full_name === null || !inner) return null
  if (Buffer.byteLength(reference_number) > MAX_REFERENCE_BYTES) return null
  const { start: from, end: to } = dataOf(members)
  return {
    reference_number,
    full_name,
    version: readScannedVersion(bytes, members),
    data: bytes.subarray(from, to),
    members: membersOf(bytes, inner),
  }
}

/** The position of the member `data` of an object that was not parsed. */
function dataOf({ keys, starts, ends }: ScannedMembers) {
  const position = keys.indexOf('data')
  return { start: starts[position], end: ends[position] }
}

function membersOf(bytes: Buffer, { keys, starts, ends }: ScannedMembers): DataMembers {
  return {
    keys,
    findMismatch(position, expected) {
      const from = starts[position] ?? 0
      if (expected === 'text' && bytes[from] === QUOTE) return null
      return findKindMismatchOfText(bytes, from, ends[position] ?? from, expected)
    },
  }
}

/** A string of a name's length without escape sequences, which is storable for this reason; otherwise null. */
function readPlainText(bytes: Buffer, members: ScannedMembers, key: string): string | null {
  const position = members.keys.indexOf(key)
  const from = members.starts[position]
  const to = members.ends[position]
  if (from === undefined || to === undefined || bytes[from] !== QUOTE) return null
  if (to - from > MAX_NAME_LENGTH) return null
  const text = bytes.toString('utf8', from + 1, to - 1)
  return text.includes('\\') ? null : text
}

/** The version of an element that was not parsed. */
function readScannedVersion(bytes: Buffer, { keys, starts, ends }: ScannedMembers): string | null {
  const position = keys.indexOf('version')
  if (position < 0) return null
  const [from = 0, to = 0] = [starts[position], ends[position]]
  // No longer text is a version: each byte may be an escape sequence of six characters.
  if (to - from > 6 * MAX_VERSION_BYTES + 2) return null
  return toVersion(parseLossless(bytes.toString('utf8', from, to)))
}

const QUOTE = 0x22

/** The reference number of an element that may be invalid otherwise; null if it is not a valid reference number. */
export function referenceOf(element: unknown): string | null {
  return shortTextOf(element, 'reference_number', MAX_REFERENCE_BYTES)
}

/** The record type of a push that may be invalid otherwise; null if it is not a valid record type. */
export function recordTypeOf(body: unknown): string | null {
  return shortTextOf(body, 'record_type', MAX_RECORD_TYPE_BYTES)
}

function shortTextOf(body: unknown, member: string, maxBytes: number): string | null {
  if (!isJsonObject(body) || !Object.hasOwn(body, member)) return null
  const text = body[member]
  if (typeof text !== 'string' || text === '') return null
  if (Buffer.byteLength(text) > maxBytes) return null
  return isStorableText(text) ? copyText(text) : null
}

export const UNSAFE_MESSAGES = {
  too_deep: `is nested deeper than ${MAX_JSON_DEPTH} levels`,
  proto_key: 'has a key __proto__',
} as const

/** Formats all errors in one line: "reference_number is required; data must be an object". */
export function formatErrors(errors: Record<string, string[]>): string {
  return Object.entries(errors)
    .flatMap(([member, messages]) => messages.map((message) => `${member} ${message}`))
    .join('; ')
}

function longerThan(bytes: number): string {
  return `must not be longer than ${bytes} bytes`
}

/** Members whose limit is in bytes. */
const LENGTH_ERRORS: Readonly<Record<string, string>> = {
  record_type: longerThan(MAX_RECORD_TYPE_BYTES),
  reference_number: longerThan(MAX_REFERENCE_BYTES),
}

type SchemaError = { keyword: string; instancePath: string; message: string; params: object }

function describeSchemaErrors(errors: SchemaError[]): Record<string, string[]> {
  const described: Record<string, string[]> = {}
  const add = (member: string, error: string) => {
    described[member] = [...new Set([...(described[member] ?? []), error])]
  }
  for (const { keyword, instancePath, message, params } of errors) {
    const [, member] = instancePath.split('/')
    if (keyword === 'required' && 'requiredProperties' in params && !member) {
      const missing = Array.isArray(params.requiredProperties) ? params.requiredProperties : []
      for (const name of missing) add(String(name), 'is required')
    } else if (member === undefined) add('record', 'must be a JSON object')
    else if (member === 'data') add('data', 'must be an object')
    else if (keyword === 'minLength') add(member, 'must not be empty')
    else if (keyword === 'maxLength') add(member, LENGTH_ERRORS[member] ?? message)
    else if (keyword === 'type' && message.includes('string')) add(member, 'must be a string')
    else add(member, message)
  }
  return described
}

/** Checks what the schemas cannot express. Returns null if there are no errors. */
function findErrors(record: {
  reference_number: string
  full_name?: string | undefined
  data: unknown
}): Record<string, string[]> | null {
  const { reference_number, full_name, data } = record
  const errors: Record<string, string[]> = {}
  if (Buffer.byteLength(reference_number) > MAX_REFERENCE_BYTES) {
    errors['reference_number'] = [longerThan(MAX_REFERENCE_BYTES)]
  } else if (!isStorableText(reference_number)) errors['reference_number'] = [UNSTORABLE]
  if (full_name !== undefined && !isStorableText(full_name)) errors['full_name'] = [UNSTORABLE]
  if (!Array.isArray(data) && !isJsonObject(data)) errors['data'] = ['must be an object']
  else if (hasLongNumber(data)) {
    errors['data'] = [`contains a number of more than ${MAX_NUMBER_LENGTH} characters`]
  }
  return Object.keys(errors).length > 0 ? errors : null
}

function hasLongNumber(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (JSON.isRawJSON(value)) return value.rawJSON.length > MAX_NUMBER_LENGTH
  return Object.keys(value).some((key) => hasLongNumber(Reflect.get(value, key)))
}

/** Makes a record invalid whose data has more keys than that at its top level. */
export function limitKeys<Input extends DataInput<JsonText>>(
  checked: Checked<Input>,
  maxKeys: number,
): Checked<Input> {
  if (checked.outcome === 'invalid' || checked.input.members.keys.length <= maxKeys) return checked
  return invalid(describeTooManyKeys(maxKeys))
}

/** The errors of a record whose data have more keys than that at the top level. */
export function describeTooManyKeys(maxKeys: number): Record<string, string[]> {
  return { data: [`has more than ${maxKeys} keys`] }
}

function invalid(errors: Record<string, string[]>) {
  return { outcome: 'invalid' as const, errors }
}

const UNSTORABLE = 'must not contain a null character or an unpaired surrogate'

export function toDataInput(data: unknown): DataInput<string> {
  // PHP serialises an empty object as `[]`.
  const object: JsonObject = isJsonObject(data) ? data : {}
  const keys = Object.keys(object)
  return {
    data: stringifyLossless(object),
    members: {
      keys,
      findMismatch(position, expected) {
        return findKindMismatch(object[keys[position] ?? ''] ?? null, expected)
      },
    },
  }
}

type OccurredAt = { at: string | null; error: string | null; warning: string | null }

/** @param text null and undefined for a push without it. */
function readOccurredAt(text: string | null | undefined, now: Date): OccurredAt {
  if (text === undefined || text === null) return { at: null, error: null, warning: null }
  const at = parseRfc3339(text)
  if (at === null) {
    const error = 'must be an RFC 3339 date-time such as 2026-11-21T07:30:00Z'
    return { at: null, error, warning: null }
  }
  if (at > formatRfc3339(new Date(now.getTime() + MAX_AHEAD_MS))) {
    const warning = 'occurred_at is more than 5 minutes in the future and was ignored'
    return { at: null, error: null, warning }
  }
  return { at, error: null, warning: null }
}

/** PHP writes it by default. It is not in the stored form, and finding it costs less than a scan up to it. */
const ESCAPED_SLASH = '\\/'

/** The body of a push, which is parsed only if necessary: lossless JSON that is safe by `findUnsafeJson`. */
export class PushBody {
  readonly bytes: Buffer
  /** Null unless the bytes are an object in the stored form. Also null for some texts in this form. */
  readonly scanned: ScannedObject | null
  #value: unknown

  /** @param parse parses bytes that are not in the stored form, and throws an error if they are not safe JSON. */
  constructor(bytes: Buffer, parse: (bytes: Buffer) => unknown) {
    this.bytes = bytes
    this.scanned = bytes.includes(ESCAPED_SLASH) ? null : pushScanner.scan(bytes, 0, bytes.length)
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
  const { start: from, end: to } = dataOf(members)
  return {
    record_type,
    reference_number,
    module_name,
    full_name,
    occurred_at: occurred.at,
    platform_name,
    warnings: occurred.warning === null ? [] : [occurred.warning],
    data: bytes.subarray(from, to),
    members: membersOf(bytes, inner),
  }
}
