import type { ConnectionCheck } from '@recordhub/protocol'
import {
  canonicalText,
  isJsonObject,
  type JsonObject,
  parseLossless,
} from '@recordhub/protocol/lossless-json'
import { attempt, type CheckContext, sendRequest } from './check-context.ts'
import { checkKeys } from './check-keys.ts'
import type { PlatformResponse } from './hub.ts'
import type { Section } from './section.ts'
import { type CheckedModule, validateManifest } from './validate-manifest.ts'

/** Users who test a connection do not wait longer. */
const SLOW_MS = 2000

/** @param check the result of the ping in the connection test. */
export async function checkPing(
  context: CheckContext,
  section: Section,
  check: ConnectionCheck,
): Promise<void> {
  addConnectionCheck(section, check)
  if (!check.ok) return
  const response = await attempt(context, section, () => sendRequest(context, 'ping'))
  if (!response) return
  validateResponse(section, response)
  const head = await attempt(context, section, () =>
    sendRequest(context, 'ping', { method: 'HEAD' }),
  )
  if (head && head.status !== 200 && head.status !== 405) {
    section.findings.add('response.head', { params: { status: head.status } })
  }
  await checkKeys(context, section, 'ping')
}

/**
 * @param check the result of the manifest in the connection test.
 * @returns the modules whose records can be requested, even if the manifest is invalid.
 */
export async function checkManifestEndpoint(
  context: CheckContext,
  section: Section,
  check: ConnectionCheck,
): Promise<CheckedModule[]> {
  const { findings } = section
  const response = await attempt(context, section, () => sendRequest(context, 'manifest'))
  const manifest = response?.status === 200 ? parseObject(response.text) : null
  if (!response || !manifest) {
    addConnectionCheck(section, check)
    return []
  }
  validateResponse(section, response)
  const bytes = Buffer.byteLength(response.text)
  section.setMeasurements({ bytes })
  const modules = validateManifest(manifest, bytes, findings, context.rules)
  // The findings already contain every reason for which the hub rejects it.
  if (!findings.hasErrors) addConnectionCheck(section, check)
  const repeated = await attempt(context, section, () => sendRequest(context, 'manifest'))
  const second = repeated && parseObject(repeated.text)
  if (second && canonicalText(second) !== canonicalText(manifest)) findings.add('response.changes')
  await checkKeys(context, section, 'manifest')
  return modules
}

/** A mistyped record type must not look like a module without records. */
export async function checkUnknownModule(context: CheckContext, section: Section): Promise<void> {
  const path = 'records/recordhub-check-no-such-module'
  const response = await attempt(context, section, () =>
    sendRequest(context, path, { maxBytes: 1024 }),
  )
  if (!response) return
  const { status } = response
  if (status === 404) section.addPassed('The response for a module that does not exist is 404.')
  else section.findings.add('response.unknown_path', { params: { status } })
}

export function addConnectionCheck(
  section: Section,
  { ok, code, message, cause, fix }: ConnectionCheck,
): void {
  if (ok) section.addPassed(message)
  else if (code !== null) section.findings.addError({ code, message, cause, fix })
}

/** Validates what all responses have in common. */
export function validateResponse(section: Section, { header, began_ms }: PlatformResponse): void {
  section.setMeasurements({ took_ms: began_ms })
  if (began_ms > SLOW_MS) section.findings.add('response.slow', { params: { ms: began_ms } })
  validateContentType(section, header('content-type'))
}

export function validateContentType({ findings }: Section, type: string): void {
  if (!/json/i.test(type)) findings.add('response.type', { params: { type: type || 'missing' } })
}

function parseObject(text: string): JsonObject | null {
  try {
    const value = parseLossless(text.replace(/^\uFEFF/, ''))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
