/** The differences between two manifests of a platform: pure. */
import type { Field, Manifest, ManifestChange, Module } from '@recordhub/protocol'

/** A field that the manifest no longer contains; `removed_at` is RFC 3339 in UTC. */
type RemovedField = Field & { removed_at: string }

/** A module as it is stored: with the fields that earlier manifests contained. */
export type StoredModule = Module & { removed_at: string | null; removed_fields: RemovedField[] }

/** The description of the platform itself. */
type PlatformTexts = Pick<Manifest, 'platform_title' | 'platform_description'>

/** Returns all differences, in the order of the old manifest and then of the new one. The order itself is not compared. */
export function findManifestChanges(
  before: PlatformTexts & { modules: Module[] },
  after: PlatformTexts & { modules: Module[] },
): ManifestChange[] {
  return [
    ...changedMembers(['platform_title', 'platform_description'], before, after).map(
      (difference) => ({
        change: 'platform_changed' as const,
        ...difference,
      }),
    ),
    ...pairByName(before.modules, after.modules, 'record_type').flatMap(
      ([known, named]): ManifestChange[] => {
        const { record_type = '', module_name = '' } = named ?? known ?? {}
        if (!known) return [{ change: 'module_added' as const, record_type, module_name }]
        if (!named) return [{ change: 'module_removed' as const, record_type, module_name }]
        return findModuleChanges(known, named)
      },
    ),
  ]
}

function findModuleChanges(before: Module, after: Module): ManifestChange[] {
  const { record_type } = after
  return [
    ...changedMembers(['module_name', 'description'], before, after).map((difference) => ({
      change: 'module_changed' as const,
      record_type,
      ...difference,
    })),
    ...pairByName(before.fields, after.fields, 'key').flatMap(
      ([known, named]): ManifestChange[] => {
        const { key = '', label = '' } = named ?? known ?? {}
        const field = { record_type, key, label }
        if (!known) return [{ change: 'field_added' as const, ...field }]
        if (!named) return [{ change: 'field_removed' as const, ...field }]
        return changedMembers(['label', 'type', 'required'], known, named).map((difference) => ({
          change: 'field_changed' as const,
          record_type,
          key,
          ...difference,
        }))
      },
    ),
  ]
}

/**
 * Merges a stored module with the module of a new manifest; null if the manifest does not contain it. A new field has
 * `added_at`. A removed field is stored in `removed_fields` until it is added again.
 */
export function mergeModule(
  known: StoredModule | null,
  named: Module | null,
  at: string,
): StoredModule | null {
  if (!named) return known && { ...known, removed_at: known.removed_at ?? at }
  if (!known) return { ...named, removed_at: null, removed_fields: [] }
  const knownFields = new Map(known.fields.map((field) => [field.key, field]))
  const keys = new Set(named.fields.map((field) => field.key))
  const fields = named.fields.map((field) => {
    const before = knownFields.get(field.key)
    const added_at = before ? before.added_at : at
    return added_at === undefined ? field : { ...field, added_at }
  })
  const removed = known.fields.filter((field) => !keys.has(field.key))
  const removed_fields = [
    ...known.removed_fields.filter((field) => !keys.has(field.key)),
    ...removed.map((field) => ({ ...field, removed_at: at })),
  ]
  return { ...named, fields, removed_at: null, removed_fields }
}

/** Pairs the items with the same name; null for an item that only the other manifest contains. */
function pairByName<Item, Name extends keyof Item>(
  before: Item[],
  after: Item[],
  name: Name,
): [Item | null, Item | null][] {
  const named = new Map(after.map((item) => [item[name], item]))
  const known = new Set(before.map((item) => item[name]))
  return [
    ...before.map((item): [Item, Item | null] => [item, named.get(item[name]) ?? null]),
    ...after.filter((item) => !known.has(item[name])).map((item): [null, Item] => [null, item]),
  ]
}

function changedMembers<Member extends string>(
  members: Member[],
  before: Record<Member, string | boolean>,
  after: Record<Member, string | boolean>,
): { member: Member; before: string | boolean; after: string | boolean }[] {
  return members
    .filter((member) => before[member] !== after[member])
    .map((member) => ({ member, before: before[member], after: after[member] }))
}
