import type { ManifestChange } from '@recordhub/protocol'

/** One difference between two manifests. `subject` names the changed module, field or property. */
export type ChangeLabel = {
  tone: 'added' | 'removed' | 'changed'
  subject: string
  before: string | null
  after: string | null
}

const MEMBERS: Readonly<Record<string, string>> = {
  platform_title: 'platform title',
  platform_description: 'platform description',
  module_name: 'name',
  description: 'description',
  label: 'label',
  type: 'type',
  required: 'required',
}

/** @param moduleTitle the title of the module with a `record_type`. */
export function changeLabel(
  change: ManifestChange,
  moduleTitle: (recordType: string) => string,
): ChangeLabel {
  switch (change.change) {
    case 'module_added':
      return added(`Module ${change.module_name} (${change.record_type})`)
    case 'module_removed':
      return removed(`Module ${change.module_name} (${change.record_type})`)
    case 'field_added':
      return added(`Field ${change.label} (${change.key}) of ${moduleTitle(change.record_type)}`)
    case 'field_removed':
      return removed(`Field ${change.label} (${change.key}) of ${moduleTitle(change.record_type)}`)
    case 'platform_changed':
      return changed(nameOf(change.member), change)
    case 'module_changed':
      return changed(`${nameOf(change.member)} of ${moduleTitle(change.record_type)}`, change)
    case 'field_changed':
      return changed(
        `${nameOf(change.member)} of ${change.key} of ${moduleTitle(change.record_type)}`,
        change,
      )
  }
}

function added(subject: string): ChangeLabel {
  return { tone: 'added', subject, before: null, after: null }
}

function removed(subject: string): ChangeLabel {
  return { tone: 'removed', subject, before: null, after: null }
}

function changed(
  name: string,
  { before, after }: { before: string | boolean; after: string | boolean },
): ChangeLabel {
  const subject = name.charAt(0).toUpperCase() + name.slice(1)
  return { tone: 'changed', subject, before: formatValue(before), after: formatValue(after) }
}

function nameOf(member: string): string {
  return MEMBERS[member] ?? member
}

function formatValue(value: string | boolean): string {
  if (typeof value === 'string') return value === '' ? '—' : value
  return value ? 'yes' : 'no'
}
