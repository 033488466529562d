/** Whether an endpoint keeps to itself what only the right key opens (specification 5). */
import { isJsonObject, type JsonValue, parseLossless } from '../../lib/json/lossless-json.ts'
import type { Findings } from './findings.ts'

export type Refusal = { status: number; text: string }
export type RefusalContext = {
  /** How it was called: "without a key". */
  without: string
  /** The right key, which no answer may tell. */
  key: string
}

/** Shorter texts stand in any answer. */
const SHORTEST_KEY = 6

/** @returns whether it is as it should be. */
export function judgeRefusal(
  { status, text }: Refusal,
  { without, key }: RefusalContext,
  findings: Findings,
): boolean {
  const body = readJson(text)
  const saysNo = isJsonObject(body) && body['success'] === false
  const told = whatItTells(body, text, key)
  if (told !== null && !(status === 200 && !saysNo)) {
    findings.add('key.leaks', { found: `${without}: ${told}` })
  } else if (status === 200 && !saysNo) findings.add('key.not_checked', { found: without })
  else if (status !== 401) findings.add('key.status', { found: `${without}: HTTP ${status}` })
  else if (body === undefined) findings.add('key.refusal_not_json', { found: without })
  return told === null && status === 401 && body !== undefined
}

function whatItTells(body: JsonValue | undefined, text: string, key: string): string | null {
  if (key.length >= SHORTEST_KEY && text.includes(key)) return 'the right key'
  if (!isJsonObject(body)) return null
  if (isFilled(body['records'])) return 'records'
  return isFilled(body['modules']) ? 'the manifest' : null
}

function isFilled(value: JsonValue | undefined): boolean {
  return Array.isArray(value) && value.length > 0
}

/** Undefined for what is no JSON. */
function readJson(text: string): JsonValue | undefined {
  try {
    return parseLossless(text)
  } catch {
    return undefined
  }
}
