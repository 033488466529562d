import type { ManifestChange } from '@recordhub/protocol'

/** One difference between two manifests: what it is about, and what has become of it. */
export type ChangeWords = {
  tone: 'added' | 'removed' | 'changed'
  what: string
  before: string | null
  after: string | null
}

const MEMBERS: Readonly<Record<string, string>> = {
  platform_title: 'title of the platform',
  platform_description: 'description of the platform',
  module_name: 'name',
  description: 'description',
  label: 'label',
  type: 'type',
  required: 'required',
}

/** @param moduleTitle the title of the module with a `record_type`. */
export function changeInWords(
  change: ManifestChange,
  moduleTitle: (recordType: string) => string,
): ChangeWords {
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

function added(what: string): ChangeWords {
  return { tone: 'added', what, before: null, after: null }
}

function removed(what: string): ChangeWords {
  return { tone: 'removed', what, before: null, after: null }
}

function changed(
  words: string,
  { before, after }: { before: string | boolean; after: string | boolean },
): ChangeWords {
  const what = words.charAt(0).toUpperCase() + words.slice(1)
  return { tone: 'changed', what, before: inWords(before), after: inWords(after) }
}

function nameOf(member: string): string {
  return MEMBERS[member] ?? member
}

function inWords(value: string | boolean): string {
  if (typeof value === 'string') return value === '' ? '(empty)' : value
  return value ? 'yes' : 'no'
}
