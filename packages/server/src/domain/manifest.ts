import { type Manifest, ManifestAnswer, type Module } from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { isStorableText } from '../lib/storable-text.ts'

const isManifestAnswer = Compile(ManifestAnswer)

/**
 * Reads what a platform answered as its manifest (specification 2.2), with the defaults of what only
 * describes filled in.
 */
export function checkManifest(
  answer: unknown,
): { outcome: 'valid'; manifest: Manifest } | { outcome: 'invalid'; reason: string } {
  if (!isManifestAnswer.Check(answer)) {
    const [first] = isManifestAnswer.Errors(answer)
    return invalid(first ? `${first.instancePath || 'it'} ${first.message}` : 'it is no manifest')
  }
  const manifest: Manifest = {
    platform_name: answer.platform_name,
    platform_title: answer.platform_title,
    platform_description: answer.platform_description,
    modules: answer.modules.map(completeModule),
  }
  const reason = findManifestFault(manifest)
  return reason === null ? { outcome: 'valid', manifest } : invalid(reason)
}

/** Why a `record_type` cannot stand in a path; null where it can. */
export function findRecordTypeFault(recordType: string): string | null {
  return recordType === '.' || recordType === '..'
    ? `the record_type "${recordType}" would change the path`
    : null
}

function invalid(reason: string): { outcome: 'invalid'; reason: string } {
  return { outcome: 'invalid', reason }
}

function completeModule(module: ManifestAnswer['modules'][number]): Module {
  return {
    module_name: module.module_name,
    record_type: module.record_type,
    description: module.description ?? '',
    fields: module.fields.map((field) => ({
      key: field.key,
      label: field.label ?? field.key,
      type: field.type ?? 'string',
      required: field.required ?? false,
    })),
  }
}

function findManifestFault(manifest: Manifest): string | null {
  const { platform_name, platform_title, platform_description, modules } = manifest
  const texts = modules.flatMap((one) => [one.record_type, one.module_name, one.description])
  if (![platform_name, platform_title, platform_description, ...texts].every(isStorableText)) {
    return 'it holds a null character or half of a surrogate pair'
  }
  const types = modules.map((module) => module.record_type)
  const twice = findDuplicate(types)
  if (twice !== null) return `two modules have the record_type "${twice}"`
  for (const { record_type, fields } of modules) {
    const fault = findRecordTypeFault(record_type)
    if (fault !== null) return fault
    const key = findDuplicate(fields.map((field) => field.key))
    if (key !== null) return `the module "${record_type}" has two fields with the key "${key}"`
  }
  return null
}

function findDuplicate(texts: string[]): string | null {
  const seen = new Set<string>()
  return texts.find((text) => seen.size === seen.add(text).size) ?? null
}
