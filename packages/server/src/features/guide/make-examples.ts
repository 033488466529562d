/** The examples of the guide, with the names, modules and fields of one platform. */
import type { Field, Platform } from '@recordhub/protocol'

type Module = Platform['modules'][number]

/** The value of each example by its name in the guide (`example=manifest`); an array of lines for NDJSON. */
export type Examples = ReadonlyMap<string, unknown>

/** Limits for readability: a manifest may have thousands of fields. */
const MAX_MODULES = 10
const MAX_FIELDS = 40
const REFERENCE = 'A-1'
/** The reference of a new record. */
const NEW_REFERENCE = 'A-2'
const NAME = 'Ann Example'
/** The prefix, the number of records and the sum of two buckets. */
const EXAMPLE_BUCKETS = [
  ['3f4', 152, 271497665201],
  ['a01', 1, 91230],
]
const AT = '2026-11-21T07:30:00Z'

export function makeExamples(platform: Platform): Examples {
  const { platform_name, platform_title, platform_description } = platform
  const modules = chooseModules(platform)
  const [first] = modules
  const success = true
  const record = first && exampleRecord(first)
  const names = first && { module_name: first.module_name, record_type: first.record_type }
  const record_type = first?.record_type ?? 'example'
  return new Map<string, unknown>([
    ['ping', { success, message: `${platform_title} is online.`, platform_name }],
    [
      'manifest',
      {
        success,
        platform_name,
        platform_title,
        platform_description,
        modules: modules.map(describeModule),
      },
    ],
    [
      'records',
      { success, platform_name, ...names, total: record ? 1 : 0, records: record ? [record] : [] },
    ],
    ['digest', { success, platform_name, record_type, digits: 3, buckets: EXAMPLE_BUCKETS }],
    ['search', { success, platform_name, records: record ? [{ record_type, ...record }] : [] }],
    [
      'database',
      modules.map((module) => ({ record_type: module.record_type, ...exampleRecord(module) })),
    ],
    ['push', examplePush(platform) ?? { reference_number: NEW_REFERENCE }],
    [
      'response',
      {
        success,
        message: `New record received from ${platform_title}.`,
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

/** The `record_type` in the URLs of the guide; null if the platform has no module. */
export function exampleRecordType(platform: Platform): string | null {
  return chooseModules(platform)[0]?.record_type ?? null
}

/** The registered modules, or all modules if none is registered. */
function chooseModules({ modules }: Platform): Module[] {
  const present = modules.filter((module) => module.removed_at === null)
  const registered = present.filter((module) => module.registered)
  return (registered.length > 0 ? registered : present).slice(0, MAX_MODULES)
}

function describeModule({ module_name, record_type, description, fields }: Module) {
  const described = fields
    .slice(0, MAX_FIELDS)
    .map(({ key, label, type, required }) => ({ key, label, type, required }))
  return { module_name, record_type, description, fields: described }
}

function exampleRecord({ fields }: Module) {
  const data = fields.slice(0, MAX_FIELDS).map((field) => [field.key, exampleValue(field)])
  return { reference_number: REFERENCE, full_name: NAME, data: Object.fromEntries(data) }
}

/** One changed field and one cleared field. */
function exampleChange(fields: Field[]): Record<string, unknown> {
  const plain = fields.filter(({ key }) => !isTime(key) && key !== 'reference_number')
  const [changed, cleared] = plain.filter((field) => typeof exampleValue(field) === 'string')
  return Object.fromEntries([
    ...(changed ? [[changed.key, `Another ${nounOf(changed)}`]] : []),
    ...(cleared ? [[cleared.key, null]] : []),
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

/** `Job title` becomes `job title`, but `ICD code` stays. */
function nounOf({ label }: Field): string {
  return /^\p{Lu}\p{Ll}/u.test(label) ? label.charAt(0).toLowerCase() + label.slice(1) : label
}
