/** What is wrong with a manifest (specification 2.2), whether the hub would take it or not. */
import { isJsonObject, type JsonObject, type JsonValue } from '../../lib/json/lossless-json.ts'
import {
  findManifestIssues,
  findRecordTypeIssue,
  type ManifestIssue,
} from '../platform/manifest.ts'
import { isKnownType } from '../record/field-types.ts'
import type { Findings } from './findings.ts'
import type { OwnRuleId } from './rules.ts'

/** A module as far as its records can be asked for and judged, whatever else is wrong with it. */
export type JudgedModule = {
  record_type: string
  module_name: string
  fields: { key: string; type: string; required: boolean }[]
}

const FAULT_RULES: Record<ManifestIssue['kind'], OwnRuleId> = {
  shape: 'manifest.shape',
  text: 'manifest.text_unusable',
  duplicate_module: 'manifest.duplicate_module',
  record_type: 'manifest.record_type_unusable',
  duplicate_field: 'manifest.duplicate_field',
}
const LEFT_OUT = {
  platform: {},
  module: { description: 'nothing' },
  field: { label: 'the key', type: '"string"', required: 'false' },
} as const
const MEMBERS = {
  platform: ['success', 'platform_name', 'platform_title', 'platform_description', 'modules'],
  module: ['module_name', 'record_type', 'description', 'fields'],
  field: ['key', 'label', 'type', 'required'],
} as const
const LONG = 100
/** So many bytes describe a platform of a thousand fields. */
const LARGE = 1024 * 1024

/** @returns the modules whose records can be asked for. */
export function judgeManifest(
  manifest: JsonObject,
  bytes: number,
  findings: Findings,
): JudgedModule[] {
  for (const { kind, reason } of findManifestIssues(manifest)) {
    findings.add(FAULT_RULES[kind], { found: reason })
  }
  if (bytes > LARGE) findings.add('manifest.large', { params: { bytes } })
  judgeMembers(manifest, 'platform', '', findings)
  const { modules: listed } = manifest
  const modules = Array.isArray(listed) ? listed.filter(isJsonObject) : []
  if (Array.isArray(listed) && listed.length === 0) findings.add('manifest.no_modules')
  for (const module of modules) judgeModule(module, findings)
  judgeTypes(modules, findings)
  return readModules(modules)
}

function judgeModule(module: JsonObject, findings: Findings): void {
  const place = `module ${nameOf(module['record_type'])}`
  judgeMembers(module, 'module', place, findings)
  const { fields } = module
  if (Array.isArray(fields) && fields.length === 0) {
    findings.add('manifest.no_fields', { found: place })
  }
  for (const field of Array.isArray(fields) ? fields.filter(isJsonObject) : []) {
    const where = `${place}, field ${nameOf(field['key'])}`
    judgeMembers(field, 'field', where, findings)
    const { type } = field
    if (typeof type === 'string' && !isKnownType(type)) {
      findings.add('manifest.type_unknown', { found: `${where}: ${type}` })
    }
  }
}

function judgeMembers(
  object: JsonObject,
  kind: keyof typeof MEMBERS,
  place: string,
  findings: Findings,
): void {
  const known: readonly string[] = MEMBERS[kind]
  for (const [member, value] of Object.entries(object)) {
    if (!known.includes(member)) findings.add('manifest.member_unknown', { field: member })
    else if (typeof value === 'string') judgeText(value, member, place, findings)
  }
  for (const [member, instead] of Object.entries(LEFT_OUT[kind])) {
    if (Object.hasOwn(object, member)) continue
    findings.add('manifest.member_left_out', { field: member, params: { instead }, found: place })
  }
}

function judgeText(text: string, member: string, place: string, findings: Findings): void {
  const isDescription = member.endsWith('description')
  const where = { field: member, found: `${place} ${JSON.stringify(text)}`.trim() }
  if (text.trim() !== text || (text === '' && !isDescription)) findings.add('manifest.blank', where)
  if (text.length > LONG && !isDescription) findings.add('manifest.title_long', where)
}

function judgeTypes(modules: JsonObject[], findings: Findings): void {
  const seen = new Map<string, string>()
  for (const { record_type } of modules) {
    if (typeof record_type !== 'string') continue
    const folded = record_type.toLowerCase()
    const twin = seen.get(folded)
    const isAlike = twin !== undefined && twin !== record_type
    if (isAlike || !/^[\w-]+$/.test(record_type)) {
      findings.add('manifest.record_type_awkward', { found: record_type })
    }
    seen.set(folded, record_type)
  }
}

function readModules(modules: JsonObject[]): JudgedModule[] {
  const read = new Map<string, JudgedModule>()
  for (const { record_type, module_name, fields } of modules) {
    if (typeof record_type !== 'string' || record_type === '' || read.has(record_type)) continue
    if (findRecordTypeIssue(record_type) !== null) continue
    read.set(record_type, {
      record_type,
      module_name: typeof module_name === 'string' ? module_name : record_type,
      fields: (Array.isArray(fields) ? fields : []).flatMap(readField),
    })
  }
  return [...read.values()]
}

function readField(field: JsonValue): JudgedModule['fields'] {
  if (!isJsonObject(field)) return []
  const { key, type, required } = field
  if (typeof key !== 'string') return []
  return [{ key, type: typeof type === 'string' ? type : 'string', required: required === true }]
}

function nameOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '?'
}
