import {
  MAX_RECORD_TYPE_BYTES,
  type Manifest,
  ManifestResponse,
  type Module,
} from '@recordhub/protocol'
import { Compile } from 'typebox/compile'
import { isStorableText } from '../../lib/text/code-points.ts'

const manifestResponseCheck = Compile(ManifestResponse)

export type ManifestIssue = {
  kind: 'shape' | 'text' | 'duplicate_module' | 'record_type' | 'duplicate_field'
  /** A clause without a subject of its own, such as "it is not a manifest". */
  reason: string
}

/** Validates the manifest response of a platform (specification 2.2), and fills in the defaults of optional members. */
export function checkManifest(
  response: unknown,
): { outcome: 'valid'; manifest: Manifest } | { outcome: 'invalid'; reason: string } {
  const [issue] = findManifestIssues(response)
  if (issue) return { outcome: 'invalid', reason: issue.reason }
  if (!manifestResponseCheck.Check(response))
    return { outcome: 'invalid', reason: 'it is not a manifest' }
  return { outcome: 'valid', manifest: completeManifest(response) }
}

/** Yields every reason to reject a manifest. Issues of the content are found only in a manifest with a valid shape. */
export function* findManifestIssues(response: unknown): Generator<ManifestIssue, void> {
  if (manifestResponseCheck.Check(response))
    return yield* findContentIssues(completeManifest(response))
  for (const { instancePath, message } of manifestResponseCheck.Errors(response)) {
    yield { kind: 'shape', reason: `${instancePath || 'it'} ${message}` }
  }
}

/** Returns why a `record_type` cannot be used in a path or an index; null if it can. */
export function findRecordTypeIssue(recordType: string): string | null {
  if (recordType === '.' || recordType === '..') {
    return `the record_type "${recordType}" would change the path`
  }
  if (Buffer.byteLength(recordType) <= MAX_RECORD_TYPE_BYTES) return null
  return `the record_type "${recordType.slice(0, 50)}…" is longer than ${MAX_RECORD_TYPE_BYTES} bytes`
}

function completeManifest(response: ManifestResponse): Manifest {
  const { platform_name, platform_title, platform_description } = response
  const modules = response.modules.map(completeModule)
  return { platform_name, platform_title, platform_description, modules }
}

function completeModule(module: ManifestResponse['modules'][number]): Module {
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

function* findContentIssues(manifest: Manifest): Generator<ManifestIssue, void> {
  const { platform_name, platform_title, platform_description, modules } = manifest
  const texts = modules.flatMap((one) => [one.record_type, one.module_name, one.description])
  if (![platform_name, platform_title, platform_description, ...texts].every(isStorableText)) {
    yield { kind: 'text', reason: 'it contains a null character or an unpaired surrogate' }
  }
  for (const duplicate of findDuplicates(modules.map((module) => module.record_type))) {
    yield { kind: 'duplicate_module', reason: `two modules have the record_type "${duplicate}"` }
  }
  for (const { record_type, fields } of modules) {
    const reason = findRecordTypeIssue(record_type)
    if (reason !== null) yield { kind: 'record_type', reason }
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
