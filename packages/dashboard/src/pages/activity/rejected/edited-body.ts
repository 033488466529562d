import { parseLossless } from '../../../lib/lossless-json.ts'

/**
 * The members of a replay request for an edited body: nothing if the body is unchanged, so that the hub replays the saved
 * body; otherwise the parsed JSON, whose numbers keep their digits.
 */
export function parseEditedBody(
  text: string,
  original: string,
): { error: string | null; body: { body?: unknown } } {
  if (text === original) return { error: null, body: {} }
  try {
    return { error: null, body: { body: parseLossless(text) } }
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error), body: {} }
  }
}
