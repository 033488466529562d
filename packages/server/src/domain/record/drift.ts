/** How a record's data differs from the manifest of its module: pure. */
import type { DriftPolicy, Field } from '@recordhub/protocol'
import { type ValueKind, valueKindOf } from './field-types.ts'

/** The members of a record's data, which need not be parsed. */
export type DataMembers = {
  keys: readonly string[]
  /** `findKindMismatch` of the value of the key at a position. */
  findMismatch: (position: number, expected: ValueKind) => string | null
}

/** A value of another type than the manifest declares. `found` is a label such as "a number". */
type WrongType = { key: string; found: string; declared: string }

/** Keys that the manifest does not name, required keys that are absent, and values of a wrong type. */
export type Drift = { unknown: string[]; absent: string[]; wrong_type: WrongType[] }

/** The keys and types of a manifest that data are checked against. */
export type ManifestKeys = {
  known: ReadonlySet<string>
  required: readonly string[]
  /** What is expected of each key. `kind` is null if the hub cannot check its type. */
  expected: ReadonlyMap<string, { kind: ValueKind | null; declared: string; isRequired: boolean }>
}

export function toManifestKeys(
  fields: readonly Pick<Field, 'key' | 'type' | 'required'>[],
): ManifestKeys {
  const required = fields.filter((field) => field.required)
  return {
    known: new Set(fields.map((field) => field.key)),
    required: required.map((field) => field.key),
    expected: new Map(
      fields.map(({ key, type, required }) => {
        const kind = valueKindOf(type)
        const checked = kind === 'any' ? null : kind
        return [key, { kind: checked, declared: type, isRequired: required }]
      }),
    ),
  }
}

/** The maximum number of keys of one kind that are reported of one record. */
const MAX_REPORTED = 50
const MAX_QUOTED = 100

/**
 * Returns null if there is no drift.
 * @param isWhole whether the data are the whole record, so that missing required keys are drift.
 */
export function findDrift(
  { keys, findMismatch }: DataMembers,
  { required, expected }: ManifestKeys,
  { isWhole }: { isWhole: boolean },
): Drift | null {
  const unknown: string[] = []
  const wrong_type: WrongType[] = []
  // Runs for every key of every changed record. `entries()` would allocate a pair for each.
  let position = 0
  let present = 0
  for (const key of keys) {
    const field = expected.get(key)
    if (field === undefined) unknown.push(key)
    else {
      if (field.isRequired) present++
      const found = field.kind === null ? null : findMismatch(position, field.kind)
      if (found !== null) wrong_type.push({ key, found, declared: field.declared })
    }
    position++
  }
  // Neither data nor manifests have a key twice.
  const absent = isWhole && present < required.length ? findAbsent(required, keys) : []
  if (unknown.length + absent.length + wrong_type.length === 0) return null
  return {
    unknown: unknown.slice(0, MAX_REPORTED),
    absent: absent.slice(0, MAX_REPORTED),
    wrong_type: wrong_type.slice(0, MAX_REPORTED),
  }
}

function findAbsent(required: readonly string[], keys: readonly string[]): string[] {
  const present = new Set(keys)
  return required.filter((key) => !present.has(key))
}

/** Describes each difference in a sentence without its subject: `lacks the key "a", …`. */
export function describeDrift({ unknown, absent, wrong_type }: Drift): string[] {
  return [
    ...unknown.map((key) => `has the key ${quote(key)}, which the manifest does not name`),
    ...absent.map((key) => `lacks the key ${quote(key)}, which the manifest requires`),
    ...wrong_type.map(
      ({ key, found, declared }) =>
        `has ${found} for the key ${quote(key)}, whose type in the manifest is ${quote(declared)}`,
    ),
  ]
}

/** Why a record is rejected because of drift; null if the policy accepts it. */
export function rejectDrift(
  drift: Drift | null,
  policy: DriftPolicy,
): { errors: { data: string[] }; reason: string } | null {
  if (drift === null || policy === 'accept') return null
  const issues = describeDrift(drift)
  return { errors: { data: issues }, reason: issues.map((issue) => `data ${issue}`).join('; ') }
}

function quote(text: string): string {
  return JSON.stringify(text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED)}…` : text)
}
