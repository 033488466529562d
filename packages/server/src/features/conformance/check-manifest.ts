import type { ConnectionCheck } from '@recordhub/protocol'
import { type JudgedModule, judgeManifest } from '../../domain/conformance/judge-manifest.ts'
import { isErrorCode } from '../../errors.ts'
import {
  canonicalText,
  isJsonObject,
  type JsonObject,
  parseLossless,
} from '../../lib/json/lossless-json.ts'
import type { RawResponse } from '../../platform-client/request/send-request.ts'
import { checkKeys } from './check-keys.ts'
import { attempt, type CheckContext, look } from './context.ts'
import type { Section } from './section.ts'

/** Longer than anybody who tests a connection likes to wait. */
const SLOW_MS = 2000

/** @param check what came of the ping when the connection was tested. */
export async function checkPing(
  context: CheckContext,
  section: Section,
  check: ConnectionCheck,
): Promise<void> {
  noteCheck(section, check)
  if (!check.ok) return
  const answer = await attempt(context, section, () => look(context, 'ping'))
  if (!answer) return
  noteAnswer(section, answer)
  const head = await attempt(context, section, () => look(context, 'ping', { method: 'HEAD' }))
  if (head && head.status !== 200 && head.status !== 405) {
    section.findings.add('answer.head', { params: { status: head.status } })
  }
  await checkKeys(context, section, 'ping')
}

/**
 * @param check what came of the manifest when the connection was tested.
 * @returns the modules that can be asked for, whatever else is wrong.
 */
export async function checkManifestEndpoint(
  context: CheckContext,
  section: Section,
  check: ConnectionCheck,
): Promise<JudgedModule[]> {
  const { findings } = section
  const answer = await attempt(context, section, () => look(context, 'manifest'))
  const manifest = answer?.status === 200 ? readObject(answer.text) : null
  if (!answer || !manifest) {
    noteCheck(section, check)
    return []
  }
  noteAnswer(section, answer)
  const bytes = Buffer.byteLength(answer.text)
  section.measured({ bytes })
  const modules = judgeManifest(manifest, bytes, findings)
  // What the hub refuses it for has just been told place by place.
  if (!findings.hasErrors) noteCheck(section, check)
  const again = await attempt(context, section, () => look(context, 'manifest'))
  const second = again && readObject(again.text)
  if (second && canonicalText(second) !== canonicalText(manifest)) findings.add('answer.changes')
  await checkKeys(context, section, 'manifest')
  return modules
}

/** What people mistype must not look like a module without records. */
export async function checkUnknownModule(context: CheckContext, section: Section): Promise<void> {
  const path = 'records/recordhub-check-no-such-module'
  const answer = await attempt(context, section, () => look(context, path, { maxBytes: 1024 }))
  if (!answer) return
  const { status } = answer
  if (status === 404)
    section.passed('Records of a module that does not exist are answered with 404.')
  else section.findings.add('answer.unknown_path', { params: { status } })
}

/** What came of a check of the connection, as a finding or as passed. */
export function noteCheck(section: Section, { ok, code, message }: ConnectionCheck): void {
  if (ok) section.passed(message)
  else if (code !== null && isErrorCode(code)) section.findings.add(code, { message })
}

/** What can be said of any answer. */
export function noteAnswer(section: Section, { header, began_ms }: RawResponse): void {
  section.measured({ took_ms: began_ms })
  if (began_ms > SLOW_MS) section.findings.add('answer.slow', { params: { ms: began_ms } })
  noteType(section, header('content-type'))
}

export function noteType({ findings }: Section, type: string): void {
  if (!/json/i.test(type)) findings.add('answer.type', { params: { type: type || 'none' } })
}

function readObject(text: string): JsonObject | null {
  try {
    const value = parseLossless(text.replace(/^\uFEFF/, ''))
    return isJsonObject(value) ? value : null
  } catch {
    return null
  }
}
