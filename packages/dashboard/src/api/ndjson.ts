import { type HubCall, openHub } from './call-hub.ts'

/** The lines of an answer that comes bit by bit, each as soon as it is whole. */
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
 * Calls the hub and gives the lines of JSON that it answers with, each as soon as it has come.
 * @throws HubCallError
 */
export async function* callHubLines<Line>(path: string, call: HubCall): AsyncGenerator<Line> {
  const { body } = await openHub(path, { ...call, accept: 'application/x-ndjson' })
  if (!body) return
  for await (const line of readLines(body)) yield JSON.parse(line)
}
