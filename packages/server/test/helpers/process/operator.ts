/** HTTP requests of operators and programs to a hub. */
import type {
  HistoryEntry,
  Platform,
  Pull,
  PullTask,
  Removal,
  Snapshot,
  StoredRecord,
} from '@recordhub/protocol'
import { until, untilTrue } from '../time/until.ts'
import { OPERATOR } from './sandbox.ts'

type OperatorResponse = { status: number; headers: Headers; text: string }

export type Operator = {
  call: (method: string, path: string, body?: unknown) => Promise<OperatorResponse>
  /** The same operator, in the same session, at another address. */
  at: (address: string) => Operator
}

/** The headers of requests in the session of an operator. */
export type SessionHeaders = { cookie: string; 'X-CSRF-TOKEN': string }

/** Signs in; a session survives restarts of its hub. */
export async function signIn(
  address: string,
  credentials: { email: string; password: string } = OPERATOR,
): Promise<Operator> {
  return createOperatorClient(address, await createSession(address, credentials))
}

export async function createSession(
  address: string,
  credentials: { email: string; password: string } = OPERATOR,
): Promise<SessionHeaders> {
  const signedIn = await fetch(`${address}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(credentials),
  })
  const text = await signedIn.text()
  if (!signedIn.ok) throw new Error(`The sign-in returned ${signedIn.status}: ${text}`)
  const cookies = signedIn.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const cookie = cookies.join('; ')
  const session = await fetch(`${address}/api/v1/session`, { headers: { cookie } })
  const { csrf_token }: { csrf_token: string } = JSON.parse(await session.text())
  return { cookie, 'X-CSRF-TOKEN': csrf_token }
}

/** The operator, in the session of the template if the hub has one, because a sign-in costs as much as a start. */
export async function connectOperator(hub: {
  address: string
  session?: SessionHeaders | null
}): Promise<Operator> {
  return hub.session ? createOperatorClient(hub.address, hub.session) : signIn(hub.address)
}

export function createOperatorClient(
  address: string,
  credentials: Record<string, string>,
): Operator {
  return {
    at: (other) => createOperatorClient(other, credentials),
    async call(method, path, body) {
      const response = await fetch(`${address}${path}`, {
        method,
        headers: { ...credentials, Accept: 'application/json', 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      })
      const { status, headers } = response
      return { status, headers, text: await response.text() }
    },
  }
}

/** Sends a request that must succeed. @returns the text of the response. */
export async function sendRequest(
  operator: Operator,
  method: string,
  path: string,
  body?: unknown,
): Promise<string> {
  const { status, text } = await operator.call(method, path, body)
  if (status >= 300) throw new Error(`${method} ${path} returned ${status}: ${text}`)
  return text
}

export async function registerPlatform(
  operator: Operator,
  platform: { address: string; sourceKey: string; recordTypes: string[] },
): Promise<{ platform: Platform; hub_api_key: string }> {
  return JSON.parse(
    await sendRequest(operator, 'POST', '/api/v1/platforms', {
      source_base_url: platform.address,
      source_api_key: platform.sourceKey,
      record_types: platform.recordTypes,
    }),
  )
}

export async function listPlatforms(operator: Operator): Promise<Platform[]> {
  const { platforms }: { platforms: Platform[] } = JSON.parse(
    await sendRequest(operator, 'GET', '/api/v1/platforms'),
  )
  return platforms
}

export async function readSnapshot(operator: Operator): Promise<Snapshot> {
  return JSON.parse(await sendRequest(operator, 'GET', '/dashboard/realtime'))
}

/** Reads a list of records page by page. @returns the text of each page. */
export async function* readRecordPages(operator: Operator, query: string): AsyncGenerator<string> {
  let cursor: string | null = ''
  while (cursor !== null) {
    const path: string = `/api/v1/records?limit=500&${query}${cursor && `&cursor=${cursor}`}`
    const text = await sendRequest(operator, 'GET', path)
    yield text
    const page: { next_cursor: string | null } = JSON.parse(text)
    cursor = page.next_cursor
  }
}

export async function listRecords(
  operator: Operator,
  query = 'sort=record_id',
): Promise<StoredRecord[]> {
  const records: StoredRecord[] = []
  for await (const text of readRecordPages(operator, query)) {
    const page: { records: StoredRecord[] } = JSON.parse(text)
    records.push(...page.records)
  }
  return records
}

export async function listHistory(operator: Operator, recordId: number): Promise<HistoryEntry[]> {
  const { history }: { history: HistoryEntry[] } = JSON.parse(
    await sendRequest(operator, 'GET', `/api/v1/records/${recordId}/history`),
  )
  return history
}

/** Requests a pull. The status is 409 if a pull is already running. */
export async function requestPull(operator: Operator): Promise<{ status: number; pull: Pull }> {
  const { status, text } = await operator.call('POST', '/api/v1/pulls')
  const { pull }: { pull: Pull } = JSON.parse(text)
  return { status, pull }
}

export async function readPull(
  operator: Operator,
  id: number,
): Promise<{ pull: Pull; tasks: PullTask[] }> {
  return JSON.parse(await sendRequest(operator, 'GET', `/api/v1/pulls/${id}`))
}

/** Pulls everything and waits for the end of the pull. */
export async function pullAndWait(operator: Operator): Promise<{ pull: Pull; tasks: PullTask[] }> {
  const { status, pull } = await requestPull(operator)
  if (status !== 202) throw new Error(`The request of a pull returned ${status}`)
  return untilPullEnds(operator, pull.id)
}

export async function untilPullEnds(operator: Operator, id: number): ReturnType<typeof readPull> {
  return until(async () => {
    const read = await readPull(operator, id)
    return read.pull.finished_at === null ? null : read
  }, `pull ${id} ends`)
}

/** Waits until the data of all removed platforms is deleted. */
export async function untilRemovalsEnd(operator: Operator): Promise<void> {
  await untilTrue('the removals end', async () => {
    const text = await sendRequest(operator, 'GET', '/api/v1/removals')
    const { removals }: { removals: Removal[] } = JSON.parse(text)
    return removals.every(({ finished_at }) => finished_at !== null)
  })
}

/** Waits until the readiness check of a hub succeeds. */
export async function untilReady({ address }: { address: string }): Promise<void> {
  await untilTrue('the hub is ready', async () => (await fetch(`${address}/readyz`)).ok)
}
