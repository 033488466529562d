import { HubError } from '../errors.ts'
import { type JsonValue, parseExact } from '../lib/exact-json.ts'
import type { PlatformAnswer } from './call-platform.ts'

/**
 * Reads an answer as a whole, numbers as they were sent.
 * @throws HubError `platform_answer_too_large`, `platform_not_json`; whatever cut the answer off.
 */
export async function readShortAnswer(
  answer: PlatformAnswer,
  maxBytes: number,
): Promise<JsonValue> {
  const text = await readText(answer, maxBytes)
  try {
    return parseExact(text)
  } catch {
    const got = /^\s*</.test(text)
      ? 'an HTML page'
      : text.trim() === ''
        ? 'nothing'
        : 'something else'
    throw new HubError('platform_not_json', { got, path: answer.path })
  }
}

async function readText({ body, path }: PlatformAnswer, maxBytes: number): Promise<string> {
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
