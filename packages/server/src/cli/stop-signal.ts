import { once } from 'node:events'

/** A signal that aborts on SIGINT or SIGTERM. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController()
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort())
  return stopping.signal
}

/** A signal that aborts when the reader of the output exits, as in `… | head`. */
export function closedOutputSignal(): AbortSignal {
  const closed = new AbortController()
  process.stdout.on('error', () => closed.abort())
  return closed.signal
}

export async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort')
}
