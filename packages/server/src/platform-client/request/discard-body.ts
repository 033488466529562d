import type { Dispatcher } from 'undici'

const MAX_BYTES = 64 * 1024
const MAX_MS = 2000

/** Reads the rest of an answer that is of no use, so that its connection can be used again; cuts off what takes long. */
export async function discardBody(body: Dispatcher.ResponseData['body']): Promise<void> {
  const signal = AbortSignal.timeout(MAX_MS)
  await body.dump({ limit: MAX_BYTES, signal }).catch(() => undefined)
}
