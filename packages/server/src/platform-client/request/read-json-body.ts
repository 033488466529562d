import { isUtf8 } from 'node:buffer'
import { MAX_JSON_DEPTH } from '@recordhub/protocol'
import { findUnsafeJson, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import { redactValue } from '../../domain/platform/redact-keys.ts'
import { HubError } from '../../errors.ts'
import { NOT_UTF8 } from '../../lib/json/json-array-scanner.ts'
import { describeSyntaxError } from './not-json.ts'
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
  const { path } = response
  const value = parse(await readText(response, maxBytes), path)
  if (findUnsafeJson(value, MAX_JSON_DEPTH) === null) return redactValue(value, [response.key])
  const reason = `it is nested more than ${MAX_JSON_DEPTH} levels deep, or has a __proto__ key`
  throw new HubError('platform_response_invalid', { path, reason })
}

function parse(text: string, path: string): JsonValue {
  try {
    return parseLossless(text)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    if (text.trim() === '') throw new HubError('platform_not_json', { got: 'nothing', path })
    const reason = `it is not valid JSON (${describeSyntaxError(text, error)})`
    throw new HubError('platform_response_invalid', { path, reason })
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
  const text = Buffer.concat(chunks)
  if (!isUtf8(text))
    throw new HubError('platform_response_invalid', { path, reason: `it ${NOT_UTF8}` })
  return text.toString().replace(/^\uFEFF/, '')
}
