/** What is wrong with one element of a records answer (specification 2.3, 2.5). */
import type { JsonObject, JsonValue } from '../../lib/json/lossless-json.ts'
import { isJsonObject } from '../../lib/json/lossless-json.ts'
import { isStorableText } from '../../lib/text/storable-text.ts'
import { findTypeMismatch, isBadDate } from '../record/field-types.ts'
import { checkPulled, formatErrors, referenceOf } from '../record/record-input.ts'
import type { Findings, Met } from './findings.ts'
import type { JudgedModule } from './judge-manifest.ts'
import type { OwnRuleId } from './rules.ts'

const REFUSED: Record<string, OwnRuleId> = {
  reference_number: 'record.reference',
  full_name: 'record.name',
  data: 'record.data',
}
const MEMBERS = new Set(['reference_number', 'full_name', 'data'])
/** The largest body of a push. */
const LARGE_BYTES = 1024 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/
/** Two- and three-byte characters of UTF-8, each byte read as Latin-1 or Windows-1252. */
const TWICE_ENCODED = /[\u00c3][\u0080-\u00bf]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac[\u0090-\u2122]/
const HTML_ESCAPE = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[\da-f]{1,6});/i

type Field = JudgedModule['fields'][number]
type Where = Pick<Met, 'element' | 'reference'>

/** Judges the elements of one module, one by one; remembers of them only which fields were ever filled. */
export class RecordJudge {
  readonly #fields: ReadonlyMap<string, Field>
  readonly #required: readonly string[]
  readonly #findings: Findings
  readonly #neverFilled: Set<string>
  #judged = 0

  constructor({ fields }: Pick<JudgedModule, 'fields'>, findings: Findings) {
    this.#fields = new Map(fields.map((field) => [field.key, field]))
    this.#required = fields.filter((field) => field.required).map((field) => field.key)
    this.#findings = findings
    this.#neverFilled = new Set(this.#fields.keys())
  }

  /** @param index from 0. */
  judge({ value, index, bytes }: { value: JsonValue; index: number; bytes: number }): void {
    const reference = referenceOf(value)
    const where = { element: index + 1, reference }
    if (bytes > LARGE_BYTES) {
      this.#findings.add('record.large', { ...where, found: `${bytes} bytes` })
    }
    const checked = checkPulled(value)
    if (checked.outcome === 'invalid') {
      this.#refuse(checked.errors, where)
      return
    }
    const { reference_number, full_name, data } = checked.input
    if (reference_number !== reference_number.trim() || CONTROL.test(reference_number)) {
      const found = JSON.stringify(reference_number)
      this.#findings.add('record.reference_blank', { ...where, found })
    }
    if (full_name.trim() === '') this.#findings.add('record.name_empty', where)
    this.#judgeText(full_name, 'full_name', where)
    this.#judgeMembers(value, where)
    this.#judgeData(data, where)
  }

  /** To be called once after the last element. */
  end(): void {
    if (this.#judged === 0) return
    for (const field of this.#neverFilled) this.#findings.add('field.never_filled', { field })
  }

  #refuse(errors: Record<string, string[]>, where: Where): void {
    for (const [member, faults] of Object.entries(errors)) {
      const found = formatErrors({ [member]: faults })
      this.#findings.add(REFUSED[member] ?? 'record.unusable', { ...where, found })
    }
  }

  #judgeMembers(value: JsonValue, where: Where): void {
    if (!isJsonObject(value)) return
    for (const member of Object.keys(value)) {
      if (MEMBERS.has(member)) continue
      this.#findings.add('record.member_unknown', { ...where, field: member, params: { member } })
    }
  }

  #judgeData(data: JsonObject, where: Where): void {
    this.#judged += 1
    for (const [key, value] of Object.entries(data)) {
      const field = this.#fields.get(key)
      if (!field) this.#findings.add('field.unknown', { ...where, field: key })
      if (value !== null && value !== '') this.#neverFilled.delete(key)
      this.#judgeValue(value, field ?? { key, type: 'any', required: false }, where)
    }
    for (const key of this.#required) {
      if (!Object.hasOwn(data, key)) {
        this.#findings.add('field.required_absent', { ...where, field: key })
      }
    }
  }

  /** No value is quoted: a report is shared, and records are about people. */
  #judgeValue(value: JsonValue, { key, type, required }: Field, where: Where): void {
    if (value === null) {
      if (required) this.#findings.add('field.required_null', { ...where, field: key })
      return
    }
    const fault = findTypeMismatch(value, type)
    if (fault !== null) {
      const met = { ...where, field: key, params: { type: `"${type}"` }, found: fault }
      this.#findings.add('field.type', met)
    }
    if (isBadDate(value, { key, type })) this.#findings.add('field.date', { ...where, field: key })
    for (const leaf of leavesOf(value)) {
      if (typeof leaf === 'string') this.#judgeText(leaf, key, where)
      else if (isBeyondDoubles(leaf)) {
        this.#findings.add('field.number', { ...where, field: key })
      }
    }
  }

  #judgeText(text: string, field: string, where: Where): void {
    const met = { ...where, field }
    if (!isStorableText(text) || CONTROL.test(text)) {
      this.#findings.add('field.text_strange', met)
    }
    if (TWICE_ENCODED.test(text)) this.#findings.add('field.text_twice_encoded', met)
    if (HTML_ESCAPE.test(text)) this.#findings.add('field.text_escaped', met)
  }
}

function* leavesOf(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) for (const item of value) yield* leavesOf(item)
  else if (isJsonObject(value)) for (const member of Object.values(value)) yield* leavesOf(member)
  else yield value
}

/** A number that another one stands for in a double: 2^53+1, or one of many digits. 1.10 is none. */
function isBeyondDoubles(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > 2 ** 53
  if (!JSON.isRawJSON(value)) return false
  const digits = value.rawJSON
    .replace(/[eE].*$/, '')
    .replace(/[-.]/g, '')
    .replace(/^0+/, '')
  return !Number.isFinite(Number(value.rawJSON)) || digits.replace(/0+$/, '').length > 15
}
