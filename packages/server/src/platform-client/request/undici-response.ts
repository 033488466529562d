import type { Dispatcher } from 'undici'

const MAX_DISCARDED_BYTES = 64 * 1024
const MAX_DISCARD_MS = 2000

/** The value of a response header; several headers of one name as a list, "" for none. */
export function headerOf(headers: Dispatcher.ResponseData['headers'], name: string): string {
  const value = headers[name]
  return Array.isArray(value) ? value.join(', ') : (value ?? '')
}

/** Reads and discards the rest of a response, so that its connection can be reused. Closes the connection if that takes too long. */
export async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  const signal = AbortSignal.timeout(MAX_DISCARD_MS)
  await body.dump({ limit: MAX_DISCARDED_BYTES, signal }).catch(() => undefined)
}
