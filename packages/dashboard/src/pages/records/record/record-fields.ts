/** The fields of a record in the order of its manifest, with labels and sources. */

import type { Field, FieldOrigin, ListedModule } from '@recordhub/protocol'
import type { ShownRecord } from '../../../api/records.ts'

export type ShownField = {
  key: string
  label: string
  value: unknown
  isInManifest: boolean
  origin: FieldOrigin | null
}

/** @param modules of the platform of the record. */
export function fieldsOfManifest(modules: readonly ListedModule[], record: ShownRecord): Field[] {
  return modules.find((one) => one.record_type === record.record_type)?.fields ?? []
}

export function fieldsOf(
  { data }: ShownRecord,
  manifest: readonly Field[],
  origins: readonly FieldOrigin[],
): ShownField[] {
  const byPath = new Map(origins.map((origin) => [origin.path, origin]))
  const named = manifest.map(({ key, label }) => ({ key, label: label || key, isInManifest: true }))
  const keys = new Set(named.map(({ key }) => key))
  const others = Object.keys(data)
    .filter((key) => !keys.has(key))
    .map((key) => ({ key, label: key, isInManifest: false }))
  return [...named, ...others].map((field) => ({
    ...field,
    value: Object.hasOwn(data, field.key) ? data[field.key] : undefined,
    origin: byPath.get(pathOf(field.key)) ?? null,
  }))
}

/** JSON Pointer, RFC 6901. */
export function pathOf(key: string): string {
  return `/data/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
}

const HUB_LABELS: Readonly<Record<string, string>> = {
  '/full_name': 'Name',
  '/incomplete': 'Incomplete',
  '/missing_since': 'Missing since',
}

/** The label of a path in a record; the key if it is not in the manifest. */
export function labelOfPath(
  path: string,
  manifest: readonly Field[],
): { label: string; key: string } {
  const hub = HUB_LABELS[path]
  if (hub !== undefined) return { label: hub, key: path.slice(1) }
  const key = path
    .replace(/^\/data\//, '')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~')
  return { label: manifest.find((field) => field.key === key)?.label || key, key }
}

const SOURCES: Readonly<Record<string, string>> = {
  POST: 'Pushed (POST)',
  PATCH: 'Pushed (PATCH)',
  pull: 'Pulled',
  revert: 'Revert',
  replay: 'Replayed',
  creation: 'Original value',
}

/** `Pulled`, `Pushed (PATCH)` */
export function sourceLabel(source: string | null): string {
  return source === null ? 'Older than the stored history' : (SOURCES[source] ?? source)
}
