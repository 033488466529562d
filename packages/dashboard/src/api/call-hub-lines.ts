import { type HubCall, openHub } from './call-hub.ts'
import { readLines } from './read-lines.ts'

/**
 * Calls the hub and gives the lines of JSON that it answers with, each as soon as it has come.
 * @throws HubCallError
 */
export async function* callHubLines<Line>(path: string, call: HubCall): AsyncGenerator<Line> {
  const { body } = await openHub(path, { ...call, accept: 'application/x-ndjson' })
  if (!body) return
  for await (const line of readLines(body)) yield JSON.parse(line)
}
