/** What a record's data says otherwise than its module's manifest: pure. */
import type { DriftPolicy, Field } from '@recordhub/protocol'
import type { JsonObject } from '../lib/exact-json.ts'

/** Keys that the manifest does not name, and required ones that are absent. */
export type Drift = { unknown: string[]; absent: string[] }

/** What the data of a module is held against. */
export type ManifestKeys = { known: ReadonlySet<string>; required: readonly string[] }

export function manifestKeysOf(fields: readonly Pick<Field, 'key' | 'required'>[]): ManifestKeys {
  const required = fields.filter((field) => field.required)
  return {
    known: new Set(fields.map((field) => field.key)),
    required: required.map((field) => field.key),
  }
}

/** More of one record help nobody. */
const MAX_TOLD = 50

/**
 * Null where there is none.
 * @param isWhole whether the data is the whole record, so that what is not in it is absent.
 */
export function findDrift(
  data: JsonObject,
  { known, required }: ManifestKeys,
  { isWhole }: { isWhole: boolean },
): Drift | null {
  const unknown = Object.keys(data).filter((key) => !known.has(key))
  const absent = isWhole ? required.filter((key) => !Object.hasOwn(data, key)) : []
  if (unknown.length + absent.length === 0) return null
  return { unknown: unknown.slice(0, MAX_TOLD), absent: absent.slice(0, MAX_TOLD) }
}

/** Why a record is refused for its drift; null where the policy takes it. */
export function refuseDrift(
  drift: Drift | null,
  policy: DriftPolicy,
): { errors: { data: string[] }; reason: string } | null {
  if (drift === null || policy === 'accept') return null
  const words = [
    ...drift.unknown.map((key) => `has the key ${quote(key)}, which the manifest does not name`),
    ...drift.absent.map((key) => `lacks the key ${quote(key)}, which the manifest requires`),
  ]
  return { errors: { data: words }, reason: words.map((word) => `data ${word}`).join('; ') }
}

function quote(key: string): string {
  return JSON.stringify(key.length > 100 ? `${key.slice(0, 100)}…` : key)
}
