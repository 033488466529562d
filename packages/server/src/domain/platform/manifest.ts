import {
  MAX_RECORD_TYPE_BYTES,
  type Manifest,
  ManifestAnswer,
  type Module,
} from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { isStorableText } from '../../lib/text/storable-text.ts'

const isManifestAnswer = Compile(ManifestAnswer)

export type ManifestFault = {
  kind: 'shape' | 'text' | 'duplicate_module' | 'record_type' | 'duplicate_field'
  /** In half a sentence. */
  reason: string
}

/**
 * Reads what a platform answered as its manifest (specification 2.2), with the defaults of what only
 * describes filled in.
 */
export function checkManifest(
  answer: unknown,
): { outcome: 'valid'; manifest: Manifest } | { outcome: 'invalid'; reason: string } {
  const [fault] = findManifestFaults(answer)
  if (fault) return { outcome: 'invalid', reason: fault.reason }
  if (!isManifestAnswer.Check(answer)) return { outcome: 'invalid', reason: 'it is no manifest' }
  return { outcome: 'valid', manifest: completeManifest(answer) }
}

/** Everything for which the hub refuses a manifest; what its shape hides is found once that is right. */
export function* findManifestFaults(answer: unknown): Generator<ManifestFault, void> {
  if (isManifestAnswer.Check(answer)) return yield* findContentFaults(completeManifest(answer))
  for (const { instancePath, message } of isManifestAnswer.Errors(answer)) {
    yield { kind: 'shape', reason: `${instancePath || 'it'} ${message}` }
  }
}

/** Why a `record_type` cannot stand in a path or an index; null where it can. */
export function findRecordTypeFault(recordType: string): string | null {
  if (recordType === '.' || recordType === '..') {
    return `the record_type "${recordType}" would change the path`
  }
  if (Buffer.byteLength(recordType) <= MAX_RECORD_TYPE_BYTES) return null
  return `the record_type "${recordType.slice(0, 50)}…" is longer than ${MAX_RECORD_TYPE_BYTES} bytes`
}

function completeManifest(answer: ManifestAnswer): Manifest {
  const { platform_name, platform_title, platform_description } = answer
  const modules = answer.modules.map(completeModule)
  return { platform_name, platform_title, platform_description, modules }
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

function* findContentFaults(manifest: Manifest): Generator<ManifestFault, void> {
  const { platform_name, platform_title, platform_description, modules } = manifest
  const texts = modules.flatMap((one) => [one.record_type, one.module_name, one.description])
  if (![platform_name, platform_title, platform_description, ...texts].every(isStorableText)) {
    yield { kind: 'text', reason: 'it holds a null character or half of a surrogate pair' }
  }
  for (const twice of findDuplicates(modules.map((module) => module.record_type))) {
    yield { kind: 'duplicate_module', reason: `two modules have the record_type "${twice}"` }
  }
  for (const { record_type, fields } of modules) {
    const fault = findRecordTypeFault(record_type)
    if (fault !== null) yield { kind: 'record_type', reason: fault }
    for (const key of findDuplicates(fields.map((field) => field.key))) {
      const reason = `the module "${record_type}" has two fields with the key "${key}"`
      yield { kind: 'duplicate_field', reason }
    }
  }
}

function findDuplicates(texts: string[]): string[] {
  const seen = new Set<string>()
  return texts.filter((text) => seen.size === seen.add(text).size)
}
