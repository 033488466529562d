import type { Dispatcher } from 'undici'

const MAX_BYTES = 64 * 1024
const MAX_MS = 2000

/** Reads and discards the rest of a response, so that its connection can be reused. Closes the connection when that takes too long. */
export async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  const signal = AbortSignal.timeout(MAX_MS)
  await body.dump({ limit: MAX_BYTES, signal }).catch(() => undefined)
}
