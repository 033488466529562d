import { type HubCall, HubCallError, hasNoSession, send } from './call-hub.ts'
import { waitForSignIn } from './session.ts'

/**
 * Calls the hub and gives the lines of JSON that it answers with, each as soon as it has come.
 * @throws HubCallError
 */
export async function* callHubLines<Line>(path: string, call: HubCall): AsyncGenerator<Line> {
  const response = await send(path, { ...call, accept: 'application/x-ndjson' })
  if (hasNoSession(response)) {
    await waitForSignIn()
    yield* callHubLines<Line>(path, call)
    return
  }
  if (!response.ok || !response.body) {
    throw new HubCallError(response.status, await response.json().catch(() => null))
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
  let rest = ''
  try {
    for (;;) {
      const { done, value = '' } = await reader.read()
      const lines = (rest + value).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
      if (done) return
    }
  } finally {
    void reader.cancel()
  }
}
