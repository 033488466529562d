/** Validates a manifest (specification 2.2), including one that the hub rejects. */
import { isJsonObject, type JsonObject, type JsonValue } from '@recordhub/protocol/lossless-json'
import type { Findings } from './findings.ts'
import type { HubRules, ManifestIssue } from './hub.ts'
import type { RuleId } from './rules/rules.ts'

/** A module as far as its records can be requested and validated, even if the manifest is invalid. */
export type CheckedModule = {
  record_type: string
  module_name: string
  fields: { key: string; type: string; required: boolean }[]
}

type Rules = Pick<HubRules, 'findManifestIssues' | 'findRecordTypeIssue' | 'isKnownType'>

const RULE_OF_ISSUE: Record<ManifestIssue['kind'], RuleId> = {
  shape: 'manifest.shape',
  text: 'manifest.text_unusable',
  duplicate_module: 'manifest.duplicate_module',
  record_type: 'manifest.record_type_unusable',
  duplicate_field: 'manifest.duplicate_field',
}
const MEMBERS = {
  platform: ['success', 'platform_name', 'platform_title', 'platform_description', 'modules'],
  module: ['module_name', 'record_type', 'description', 'fields'],
  field: ['key', 'label', 'type', 'required'],
} as const
/** The members that the hub replaces by a default. */
const DEFAULTS = {
  platform: {},
  module: { description: 'an empty text' },
  field: { label: 'the key', type: '"string"', required: 'false' },
} as const
const MAX_TITLE_LENGTH = 100
/** The manifest of a platform with a thousand fields is smaller. */
const MAX_BYTES = 1024 * 1024

/** @returns the modules whose records can be requested. */
export function validateManifest(
  manifest: JsonObject,
  bytes: number,
  findings: Findings,
  rules: Rules,
): CheckedModule[] {
  for (const { kind, reason } of rules.findManifestIssues(manifest)) {
    findings.add(RULE_OF_ISSUE[kind], { found: reason })
  }
  if (bytes > MAX_BYTES) findings.add('manifest.large', { params: { bytes } })
  validateMembers(manifest, 'platform', '', findings)
  const { modules: listed } = manifest
  const modules = Array.isArray(listed) ? listed.filter(isJsonObject) : []
  if (Array.isArray(listed) && listed.length === 0) findings.add('manifest.no_modules')
  for (const module of modules) validateModule(module, findings, rules)
  validateRecordTypes(modules, findings)
  return readModules(modules, rules)
}

function validateModule(module: JsonObject, findings: Findings, rules: Rules): void {
  const modulePath = `module ${nameOf(module['record_type'])}`
  validateMembers(module, 'module', modulePath, findings)
  const { fields } = module
  if (Array.isArray(fields) && fields.length === 0) {
    findings.add('manifest.no_fields', { found: modulePath })
  }
  for (const field of Array.isArray(fields) ? fields.filter(isJsonObject) : []) {
    const fieldPath = `${modulePath}, field ${nameOf(field['key'])}`
    validateMembers(field, 'field', fieldPath, findings)
    const { type } = field
    if (typeof type === 'string' && !rules.isKnownType(type)) {
      findings.add('manifest.type_unknown', { found: `${fieldPath}: ${type}` })
    }
  }
}

function validateMembers(
  object: JsonObject,
  kind: keyof typeof MEMBERS,
  path: string,
  findings: Findings,
): void {
  const known: readonly string[] = MEMBERS[kind]
  for (const [member, value] of Object.entries(object)) {
    if (!known.includes(member)) findings.add('manifest.member_unknown', { field: member })
    else if (typeof value === 'string') validateText(value, member, path, findings)
  }
  for (const [member, instead] of Object.entries(DEFAULTS[kind])) {
    if (Object.hasOwn(object, member)) continue
    findings.add('manifest.member_left_out', { field: member, params: { instead }, found: path })
  }
}

function validateText(text: string, member: string, path: string, findings: Findings): void {
  const isDescription = member.endsWith('description')
  const occurrence = { field: member, found: `${path} ${JSON.stringify(text)}`.trim() }
  if (text.trim() !== text || (text === '' && !isDescription)) {
    findings.add('manifest.blank', occurrence)
  }
  if (text.length > MAX_TITLE_LENGTH && !isDescription) {
    findings.add('manifest.title_long', occurrence)
  }
}

function validateRecordTypes(modules: JsonObject[], findings: Findings): void {
  const seen = new Map<string, string>()
  for (const { record_type } of modules) {
    if (typeof record_type !== 'string') continue
    const lowerCase = record_type.toLowerCase()
    const other = seen.get(lowerCase)
    const differsByCase = other !== undefined && other !== record_type
    if (differsByCase || !/^[\w-]+$/.test(record_type)) {
      findings.add('manifest.record_type_unusual', { found: record_type })
    }
    seen.set(lowerCase, record_type)
  }
}

function readModules(modules: JsonObject[], rules: Rules): CheckedModule[] {
  const read = new Map<string, CheckedModule>()
  for (const { record_type, module_name, fields } of modules) {
    if (typeof record_type !== 'string' || record_type === '' || read.has(record_type)) continue
    if (rules.findRecordTypeIssue(record_type) !== null) continue
    read.set(record_type, {
      record_type,
      module_name: typeof module_name === 'string' ? module_name : record_type,
      fields: (Array.isArray(fields) ? fields : []).flatMap(readField),
    })
  }
  return [...read.values()]
}

function readField(field: JsonValue): CheckedModule['fields'] {
  if (!isJsonObject(field)) return []
  const { key, type, required } = field
  if (typeof key !== 'string') return []
  return [{ key, type: typeof type === 'string' ? type : 'string', required: required === true }]
}

function nameOf(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : '?'
}
