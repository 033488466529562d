/** The examples of the guide, in the words of one platform: its names, its modules, its fields. */
import type { Field, Platform } from '@recordhub/protocol'

type Module = Platform['modules'][number]

/** JSON by the name that a block of the guide bears (`example=manifest`); the lines of one that is NDJSON. */
export type Examples = ReadonlyMap<string, unknown>

/** As many as can be read; a manifest may have thousands. */
const MOST_MODULES = 10
const MOST_FIELDS = 40
const REFERENCE = 'A-1'
/** Of a record that is not among the existing ones. */
const NEW_REFERENCE = 'A-2'
const NAME = 'Ann Example'
const AT = '2026-11-21T07:30:00Z'

export function makeExamples(platform: Platform): Examples {
  const { platform_name, display_title, platform_description } = platform
  const modules = chooseModules(platform)
  const [first] = modules
  const success = true
  const record = first && exampleRecord(first)
  const names = first && { module_name: first.module_name, record_type: first.record_type }
  const record_type = first?.record_type ?? 'example'
  return new Map<string, unknown>([
    ['ping', { success, message: `${display_title} is online.`, platform_name }],
    [
      'manifest',
      {
        success,
        platform_name,
        platform_title: display_title,
        platform_description,
        modules: modules.map(describeModule),
      },
    ],
    [
      'records',
      { success, platform_name, ...names, total: record ? 1 : 0, records: record ? [record] : [] },
    ],
    ['search', { success, platform_name, records: record ? [{ record_type, ...record }] : [] }],
    [
      'database',
      modules.map((module) => ({ record_type: module.record_type, ...exampleRecord(module) })),
    ],
    ['push', examplePush(platform) ?? { reference_number: NEW_REFERENCE }],
    [
      'answer',
      {
        success,
        message: `New record received from ${display_title}.`,
        method: 'POST',
        platform_name,
        module_name: first?.module_name,
        record_id: 1,
        outcome: 'created',
      },
    ],
    [
      'patch',
      {
        record_type,
        reference_number: NEW_REFERENCE,
        data: exampleChange(first?.fields ?? []),
      },
    ],
    [
      'check',
      {
        success,
        platform_name,
        modules: modules.map(({ module_name, record_type }) => ({ module_name, record_type })),
      },
    ],
  ])
}

/** A push of a new record of the platform's first module; null if it has none. */
export function examplePush(platform: Platform): Record<string, unknown> | null {
  const [module] = chooseModules(platform)
  if (!module) return null
  const { module_name, record_type } = module
  return { module_name, record_type, ...exampleRecord(module), reference_number: NEW_REFERENCE }
}

/** The `record_type` that stands in the guide's addresses; null for none. */
export function exampleRecordType(platform: Platform): string | null {
  return chooseModules(platform)[0]?.record_type ?? null
}

/** Those that are received, else those that there are. */
function chooseModules({ modules }: Platform): Module[] {
  const present = modules.filter((module) => module.removed_at === null)
  const registered = present.filter((module) => module.registered)
  return (registered.length > 0 ? registered : present).slice(0, MOST_MODULES)
}

function describeModule({ module_name, record_type, description, fields }: Module) {
  const described = fields
    .slice(0, MOST_FIELDS)
    .map(({ key, label, type, required }) => ({ key, label, type, required }))
  return { module_name, record_type, description, fields: described }
}

function exampleRecord({ fields }: Module) {
  const data = fields.slice(0, MOST_FIELDS).map((field) => [field.key, exampleValue(field)])
  return { reference_number: REFERENCE, full_name: NAME, data: Object.fromEntries(data) }
}

/** One field that has another value, and one that has none any more. */
function exampleChange(fields: Field[]): Record<string, unknown> {
  const plain = fields.filter(({ key }) => !isTime(key) && key !== 'reference_number')
  const [changed, emptied] = plain.filter((field) => typeof exampleValue(field) === 'string')
  return Object.fromEntries([
    ...(changed ? [[changed.key, `Another ${nounOf(changed)}`]] : []),
    ...(emptied ? [[emptied.key, null]] : []),
  ])
}

function exampleValue(field: Field): unknown {
  const { key, type } = field
  if (/^(number|integer|float|decimal)$/i.test(type)) return 1
  if (/^bool/i.test(type)) return true
  if (key === 'reference_number') return REFERENCE
  if (isTime(key)) return key.endsWith('_at') ? AT : AT.slice(0, 10)
  if (/mail/i.test(key)) return 'ann@example.org'
  if (/phone/i.test(key)) return '+1 555 0100'
  return `Some ${nounOf(field)}`
}

function isTime(key: string): boolean {
  return /(_at|_on|date)$/i.test(key)
}

/** `Job title` → `job title`, but `ICD code` as it is. */
function nounOf({ label }: Field): string {
  return /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
