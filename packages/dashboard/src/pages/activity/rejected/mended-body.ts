import { parseExact } from '../../../lib/exact-json.ts'

/**
 * What of an edited body is sent: nothing where it is as it was kept, so that the hub replays what it has; else
 * the JSON with its numbers as they are written.
 */
export function readMended(
  text: string,
  original: string,
): { fault: string | null; body: { body?: unknown } } {
  if (text === original) return { fault: null, body: {} }
  try {
    return { fault: null, body: { body: parseExact(text) } }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { fault: `This is no JSON yet: ${reason}`, body: {} }
  }
}
