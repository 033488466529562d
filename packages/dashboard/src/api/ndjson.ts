import { type HubCall, openHub } from './call-hub.ts'

/** Yields the lines of a streamed response, each as soon as it is complete. */
export async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += done ? decoder.decode() : decoder.decode(value, { stream: true })
      const lines = rest.split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield line
      if (done) break
    }
    if (rest !== '') yield rest
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

/**
 * Sends a request to the hub and yields the parsed lines of the streamed response.
 * @throws HubCallError
 */
export async function* callHubLines<Line>(path: string, call: HubCall): AsyncGenerator<Line> {
  const { body } = await openHub(path, { ...call, accept: 'application/x-ndjson' })
  if (!body) return
  for await (const line of readLines(body)) yield JSON.parse(line)
}
