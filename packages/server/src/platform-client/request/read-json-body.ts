import { MAX_JSON_DEPTH } from '@recordhub/protocol'
import { findUnsafeJson, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { redactValue } from '../../domain/platform/redact-keys.ts'
import { HubError } from '../../errors.ts'
import type { PlatformResponse } from './send-request.ts'

/**
 * Reads a JSON response into memory. Numbers keep their digits. The key of the request, which the response may quote,
 * is redacted.
 * @throws HubError `platform_response_too_large`, `platform_not_json` or `platform_response_invalid`, or the error of
 *   the interrupted body.
 */
export async function readJsonBody(
  response: PlatformResponse,
  maxBytes: number,
): Promise<JsonValue> {
  const value = parse(await readText(response, maxBytes), response.path)
  if (findUnsafeJson(value, MAX_JSON_DEPTH) === null) return redactValue(value, [response.key])
  const reason = `it is nested more than ${MAX_JSON_DEPTH} levels deep, or has a __proto__ key`
  throw new HubError('platform_response_invalid', { path: response.path, reason })
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
    if (bytes > maxBytes)
      throw new HubError('platform_response_too_large', { path, limit: maxBytes })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
    .toString('utf8')
    .replace(/^\uFEFF/, '')
}
