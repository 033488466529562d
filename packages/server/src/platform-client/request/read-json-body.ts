import { MAX_JSON_DEPTH } from '@recordhub/protocol'
import { redactValue } from '../../domain/redact-keys.ts'
import { HubError } from '../../errors.ts'
import { findUnsafeJson, type JsonValue, parseLossless } from '../../lib/json/lossless-json.ts'
import type { PlatformResponse } from './send-request.ts'

/**
 * Reads an answer as a whole, numbers as they were sent, without keys: it may quote the one that it was asked with.
 * @throws HubError `platform_answer_too_large`, `platform_not_json`, `platform_answer_invalid`; whatever cut it off.
 */
export async function readJsonBody(answer: PlatformResponse, maxBytes: number): Promise<JsonValue> {
  const value = parse(await readText(answer, maxBytes), answer.path)
  if (findUnsafeJson(value, MAX_JSON_DEPTH) === null) return redactValue(value, [answer.key])
  const reason = `it is nested more than ${MAX_JSON_DEPTH} levels deep, or has a __proto__ key`
  throw new HubError('platform_answer_invalid', { path: answer.path, reason })
}

function parse(text: string, path: string): JsonValue {
  try {
    return parseLossless(text)
  } catch {
    const got = /^\s*</.test(text)
      ? 'an HTML page'
      : text.trim() === ''
        ? 'nothing'
        : 'something else'
    throw new HubError('platform_not_json', { got, path })
  }
}

async function readText({ body, path }: PlatformResponse, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new HubError('platform_answer_too_large', { path, limit: maxBytes })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}
