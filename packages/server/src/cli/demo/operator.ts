import { setTimeout as pause } from 'node:timers/promises'

/** Somebody who is signed in. */
export type Operator = { post: (path: string, body?: unknown) => Promise<Response> }

/** Between two looks whether a pull is over. */
const LOOK_MS = 200

/** @throws Error for an answer that is none of success. */
export async function readAnswer(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} answered ${response.status}: ${text}`)
  return JSON.parse(text)
}

/**
 * Starts a pull of all platforms that are registered by now. One that the schedule has begun meanwhile may not know
 * all of them: its end is waited for.
 */
export async function pullAll(operator: Operator): Promise<void> {
  const start = () => operator.post('/api/v1/pulls')
  let response = await start()
  while (response.status === 409) {
    await pause(LOOK_MS)
    response = await start()
  }
  await readAnswer(response)
}
