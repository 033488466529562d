/** Validates the elements of a records response (specification 2.3, 2.5), and the content of pushes. */
import type { JsonObject, JsonValue } from '@recordhub/protocol/lossless-json'
import { isJsonObject, significantDigits } from '@recordhub/protocol/lossless-json'
import type { Findings, Occurrence } from './findings.ts'
import type { HubRules } from './hub.ts'
import type { RuleId } from './rules/rules.ts'
import type { CheckedModule } from './validate-manifest.ts'

const RULE_OF_INVALID_MEMBER: Record<string, RuleId> = {
  reference_number: 'record.reference',
  full_name: 'record.name',
  data: 'record.data',
}
const MEMBERS = new Set(['reference_number', 'full_name', 'data', 'version'])
/** The size limit of a push. */
const MAX_PUSH_BYTES = 1024 * 1024
// biome-ignore lint/suspicious/noControlCharactersInRegex: the expression looks for control characters
const DAMAGED = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\ufffd]/
/** UTF-8 characters of two or three bytes, with each byte read as Latin-1 or Windows-1252. */
const TWICE_ENCODED = /[\u00c3][\u0080-\u00bf]|\u00c2[\u00a0-\u00bf]|\u00e2\u20ac[\u0090-\u2122]/
const HTML_ESCAPE = /&(?:amp|lt|gt|quot|apos|nbsp|#\d{1,6}|#x[\da-f]{1,6});/i

type Field = CheckedModule['fields'][number]
type Position = Pick<Occurrence, 'element' | 'reference'>

/** Validates the records of one module one by one. It stores only which fields had a value. */
export class RecordValidator {
  readonly #fields: ReadonlyMap<string, Field>
  readonly #required: readonly string[]
  readonly #findings: Findings
  readonly #rules: HubRules
  readonly #neverFilled: Set<string>
  #count = 0

  constructor({ fields }: Pick<CheckedModule, 'fields'>, findings: Findings, rules: HubRules) {
    this.#fields = new Map(fields.map((field) => [field.key, field]))
    this.#required = fields.filter((field) => field.required).map((field) => field.key)
    this.#findings = findings
    this.#rules = rules
    this.#neverFilled = new Set(this.#fields.keys())
  }

  /** @param index from 0. */
  validate({ value, index, bytes }: { value: JsonValue; index: number; bytes: number }): void {
    const position = { element: index + 1, reference: this.#rules.referenceOf(value) }
    if (bytes > MAX_PUSH_BYTES) {
      this.#findings.add('record.large', { ...position, found: `${bytes} bytes` })
    }
    const validation = this.#rules.validateRecord(value)
    if (validation.outcome === 'invalid') {
      this.#addErrors(validation.errors, position)
      return
    }
    const { reference_number, full_name, data } = validation.input
    if (reference_number !== reference_number.trim() || DAMAGED.test(reference_number)) {
      const found = JSON.stringify(reference_number)
      this.#findings.add('record.reference_blank', { ...position, found })
    }
    if (full_name.trim() === '') this.#findings.add('record.name_empty', position)
    this.#validateText(full_name, 'full_name', position)
    this.#validateMembers(value, position)
    this.#validateData(data, position)
  }

  /** Called once after the last record. */
  end(): void {
    if (this.#count === 0) return
    for (const field of this.#neverFilled) this.#findings.add('field.never_filled', { field })
  }

  #addErrors(errors: Record<string, string[]>, position: Position): void {
    for (const [member, reasons] of Object.entries(errors)) {
      const found = this.#rules.formatErrors({ [member]: reasons })
      this.#findings.add(RULE_OF_INVALID_MEMBER[member] ?? 'record.unusable', {
        ...position,
        found,
      })
    }
  }

  #validateMembers(value: JsonValue, position: Position): void {
    if (!isJsonObject(value)) return
    for (const member of Object.keys(value)) {
      if (MEMBERS.has(member)) continue
      this.#findings.add('record.member_unknown', {
        ...position,
        field: member,
        params: { member },
      })
    }
  }

  #validateData(data: JsonObject, position: Position): void {
    this.#count += 1
    for (const [key, value] of Object.entries(data)) {
      const field = this.#fields.get(key)
      if (!field) this.#findings.add('field.unknown', { ...position, field: key })
      if (value !== null && value !== '') this.#neverFilled.delete(key)
      this.#validateValue(value, field ?? { key, type: 'any', required: false }, position)
    }
    for (const key of this.#required) {
      if (!Object.hasOwn(data, key)) {
        this.#findings.add('field.required_absent', { ...position, field: key })
      }
    }
  }

  /** Values are not quoted: reports are shared, and records contain personal data. */
  #validateValue(value: JsonValue, { key, type, required }: Field, position: Position): void {
    if (value === null) {
      if (required) this.#findings.add('field.required_null', { ...position, field: key })
      return
    }
    const found = this.#rules.findTypeIssue(value, type)
    if (found !== null) {
      const params = { type: `"${type}"` }
      this.#findings.add('field.type', { ...position, field: key, params, found })
    }
    if (this.#rules.isUnreadableDate(value, { key, type })) {
      this.#findings.add('field.date', { ...position, field: key })
    }
    for (const leaf of leavesOf(value)) {
      if (typeof leaf === 'string') this.#validateText(leaf, key, position)
      else if (isBeyondDoubles(leaf)) {
        this.#findings.add('field.number', { ...position, field: key })
      }
    }
  }

  #validateText(text: string, field: string, position: Position): void {
    const occurrence = { ...position, field }
    if (!this.#rules.isStorableText(text) || DAMAGED.test(text)) {
      this.#findings.add('field.text_strange', occurrence)
    }
    if (TWICE_ENCODED.test(text)) this.#findings.add('field.text_twice_encoded', occurrence)
    if (HTML_ESCAPE.test(text)) this.#findings.add('field.text_escaped', occurrence)
  }
}

function* leavesOf(value: JsonValue): Generator<JsonValue> {
  if (Array.isArray(value)) for (const item of value) yield* leavesOf(item)
  else if (isJsonObject(value)) for (const member of Object.values(value)) yield* leavesOf(member)
  else yield value
}

/** Whether a double cannot represent a number exactly, such as 2^53+1 or one with many digits; 1.10 is not one. */
function isBeyondDoubles(value: JsonValue): boolean {
  if (typeof value === 'number') return !Number.isFinite(value) || Math.abs(value) > 2 ** 53
  if (!JSON.isRawJSON(value)) return false
  const { rawJSON } = value
  return !Number.isFinite(Number(rawJSON)) || significantDigits(rawJSON).length > 15
}
