/** What a manifest says otherwise than the one before it, field by field: pure. */
import type { Field, Manifest, ManifestChange, Module } from '@recordhub/protocol'

/** A field that the manifest named once; `removed_at` is RFC 3339 in UTC. */
type RemovedField = Field & { removed_at: string }

/** A module as it is kept: what the manifest says of it, and what it said of it before. */
export type KeptModule = Module & { removed_at: string | null; removed_fields: RemovedField[] }

/** What is said of a platform itself. */
type Described = Pick<Manifest, 'platform_title' | 'platform_description'>

/** Every difference, in the order of the manifest before and then of the new one. Order itself is none. */
export function findManifestChanges(
  before: Described & { modules: Module[] },
  after: Described & { modules: Module[] },
): ManifestChange[] {
  return [
    ...membersOf(['platform_title', 'platform_description'], before, after).map((difference) => ({
      change: 'platform_changed' as const,
      ...difference,
    })),
    ...pairsOf(before.modules, after.modules, 'record_type').flatMap(
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
    ...membersOf(['module_name', 'description'], before, after).map((difference) => ({
      change: 'module_changed' as const,
      record_type,
      ...difference,
    })),
    ...pairsOf(before.fields, after.fields, 'key').flatMap(([known, named]): ManifestChange[] => {
      const { key = '', label = '' } = named ?? known ?? {}
      const place = { record_type, key, label }
      if (!known) return [{ change: 'field_added' as const, ...place }]
      if (!named) return [{ change: 'field_removed' as const, ...place }]
      return membersOf(['label', 'type', 'required'], known, named).map((difference) => ({
        change: 'field_changed' as const,
        record_type,
        key,
        ...difference,
      }))
    }),
  ]
}

/**
 * A module as it is kept after a manifest that names it, or does not (null): a field that came later says
 * when (`added_at`), and one that went stays beside the others until it comes back.
 */
export function keepModule(
  known: KeptModule | null,
  named: Module | null,
  at: string,
): KeptModule | null {
  if (!named) return known && { ...known, removed_at: known.removed_at ?? at }
  if (!known) return { ...named, removed_at: null, removed_fields: [] }
  const knownFields = new Map(known.fields.map((field) => [field.key, field]))
  const keys = new Set(named.fields.map((field) => field.key))
  const fields = named.fields.map((field) => {
    const before = knownFields.get(field.key)
    const added_at = before ? before.added_at : at
    return added_at === undefined ? field : { ...field, added_at }
  })
  const gone = known.fields.filter((field) => !keys.has(field.key))
  const removed_fields = [
    ...known.removed_fields.filter((field) => !keys.has(field.key)),
    ...gone.map((field) => ({ ...field, removed_at: at })),
  ]
  return { ...named, fields, removed_at: null, removed_fields }
}

/** What bears the same name on both sides, with null where one side has none. */
function pairsOf<Item, Name extends keyof Item>(
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

function membersOf<Member extends string>(
  members: Member[],
  before: Record<Member, string | boolean>,
  after: Record<Member, string | boolean>,
): { member: Member; before: string | boolean; after: string | boolean }[] {
  return members
    .filter((member) => before[member] !== after[member])
    .map((member) => ({ member, before: before[member], after: after[member] }))
}
