import assert from 'node:assert/strict'
import { guardMs } from '../time/guard.ts'
import { until } from '../time/until.ts'

export type EventStream = {
  /** The text received so far. */
  text: () => string
  /** Waits until the received text matches. */
  untilReceived: (pattern: RegExp) => Promise<unknown>
  /** Resolves when the hub or `close` ends the stream, and rejects after a time limit. */
  ended: Promise<void>
  close: () => void
  headers: Headers
}

/** Opens server-sent events. */
export async function openEventStream(
  url: string,
  headers: Record<string, string>,
): Promise<EventStream> {
  const controller = new AbortController()
  const response = await fetch(url, {
    headers: { ...headers, accept: 'text/event-stream' },
    signal: AbortSignal.any([controller.signal, AbortSignal.timeout(guardMs(180_000))]),
  })
  assert.equal(response.status, 200)
  let text = ''
  const read = async () => {
    for await (const chunk of response.body ?? []) text += Buffer.from(chunk).toString()
  }
  return {
    text: () => text,
    untilReceived: (pattern) =>
      until(() => (pattern.test(text) ? true : null), `the stream contains ${pattern}`),
    ended: read().catch((error: unknown) => {
      // The hub breaks off the stream of a caller who has lost the access.
      const isBroken = error instanceof Error && error.message === 'terminated'
      if (!controller.signal.aborted && !isBroken) throw error
    }),
    close: () => controller.abort(),
    headers: response.headers,
  }
}
