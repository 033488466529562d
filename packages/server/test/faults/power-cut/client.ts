/** A client that uses every way in which a hub changes its data folder, and writes down what it was told. */
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { BackupsResponse, ChangesResponse, PushResponse } from '@recordhub/protocol'
import type { Operator } from '../../helpers/process/operator.ts'
import {
  type SimulatedModule,
  type SimulatedPlatform,
  startPlatform,
} from '../../helpers/process/platform.ts'
import { until } from '../../helpers/time/until.ts'
import type { Fact, Told } from './recording.ts'

export const PUSHED_TYPE = 'case'
export const PULLED_TYPE = 'file'
/** The number of records in each version of the pulled module. */
export const PULLED_RECORDS = 60
/** Records that each connection changes. Push them first. */
export const SHARED = ['shared-1', 'shared-2', 'shared-3']
const CONNECTIONS = 4
const RECEIVER = '/api/webhook/receive'

export type Client = {
  told: Told[]
  /** Sends a request that must succeed. `toFact` receives the text of the response; '' if there is none. */
  send: (request: [Operator, ...Parameters<Operator['call']>], toFact: ToFact) => Promise<string>
}
type ToFact = (text: string) => Fact | null

/** A client that remembers which response told it what. */
export function createClient(): Client {
  const told: Told[] = []
  let lastResponse: string | null = null
  return {
    told,
    async send([caller, ...request], toFact) {
      const after = lastResponse
      const tell = (text: string, requestId: string | null) => {
        const fact = toFact(text)
        if (fact) told.push({ ...fact, requestId, after })
      }
      const response = await caller.call(...request).catch((error: unknown) => {
        tell('', null)
        throw error
      })
      assert.ok(response.status < 300, `${request[1]}: ${response.status} ${response.text}`)
      lastResponse = response.header('x-request-id')
      tell(response.text, lastResponse)
      return response.text
    },
  }
}

export function createPulledModule(version: number): SimulatedModule {
  const records = Array.from({ length: PULLED_RECORDS }, (_, number) =>
    JSON.stringify({
      reference_number: `pulled-${number}`,
      full_name: `Number ${number}`,
      data: { version, number, note: 'y'.repeat(100) },
    }),
  )
  return {
    module_name: 'Files',
    record_type: PULLED_TYPE,
    keys: ['version', 'number', 'note'],
    records: version === 0 ? [] : records,
    etag: `"version ${version}"`,
  }
}

export async function register(
  client: Client,
  operator: Operator,
  platform: SimulatedPlatform,
): Promise<string> {
  const { source_base_url, source_api_key, record_types, platform_name: name } = platform
  const body = { source_base_url, source_api_key, record_types }
  const text = await client.send([operator, 'POST', '/api/v1/platforms', body], () => ({
    ...{ kind: 'registered', platform: name },
    sourceKey: source_api_key,
  }))
  const { hub_api_key }: { hub_api_key: string } = JSON.parse(text)
  return hub_api_key
}

/** Pushes a new record. @returns its id. */
export async function push(
  client: Client,
  platform: Operator,
  reference_number: string,
  data: Record<string, unknown>,
): Promise<number> {
  const names = { module_name: 'Any', full_name: `Name of ${reference_number}` }
  const body = { ...names, record_type: PUSHED_TYPE, reference_number, data }
  const text = await client.send([platform, 'POST', RECEIVER, body], (response) => ({
    ...{ kind: 'pushed', reference: reference_number, data },
    recordId: response === '' ? null : readPush(response).record_id,
  }))
  return readPush(text).record_id
}

function readPush(text: string): PushResponse {
  return JSON.parse(text)
}

/** Each connection pushes new records and changes of shared ones alternately. */
export async function pushMany(
  client: Client,
  platform: Operator,
  name: string,
  count: number,
): Promise<void> {
  async function pushInTurn(connection: number): Promise<void> {
    for (let turn = 0; turn < count; turn += 1) {
      const id = `${name}-${connection}-${turn}`
      if (turn % 2 === 0) {
        await push(client, platform, id, { turn: id, padding: 'z'.repeat(300) })
        continue
      }
      const reference = SHARED[turn % SHARED.length] ?? ''
      const body = { record_type: PUSHED_TYPE, reference_number: reference, data: { [id]: turn } }
      await client.send([platform, 'PATCH', RECEIVER, body], () => ({
        ...{ kind: 'patched', reference, key: id },
      }))
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, number) => pushInTurn(number)))
}

/** Pulls everything, and waits until the hub says that the pull has succeeded. */
export async function pull(client: Client, operator: Operator, version: number): Promise<void> {
  const requested = await client.send([operator, 'POST', '/api/v1/pulls'], () => null)
  const { pull: started }: { pull: { id: number } } = JSON.parse(requested)
  const read = (text: string): { pull: { state: string; finished_at: string | null } } =>
    JSON.parse(text)
  const path = `/api/v1/pulls/${started.id}`
  const ended = await until(async () => {
    const text = await client.send([operator, 'GET', path], (response) =>
      response !== '' && read(response).pull.finished_at !== null
        ? { kind: 'pulled', version, pullId: started.id }
        : null,
    )
    return read(text).pull.finished_at === null ? null : read(text).pull
  }, 'the pull ends')
  assert.equal(ended.state, 'succeeded')
}

export async function followChanges(client: Client, operator: Operator): Promise<void> {
  const read = (text: string): ChangesResponse => JSON.parse(text)
  await client.send([operator, 'GET', '/api/v1/changes?limit=500'], (text) =>
    text === '' ? null : { kind: 'followed', position: Number(read(text).next_cursor) },
  )
}

/**
 * Removes another platform with pulled records, and waits until they are deleted.
 * @param version of the records of the first platform, which the pull also reads.
 */
export async function removeOtherPlatform(
  t: Pick<TestContext, 'after'>,
  client: Client,
  operator: Operator,
  version: number,
): Promise<void> {
  const modules = [{ ...createPulledModule(1), record_type: 'other' }]
  const other = await startPlatform(t, { name: 'other', modules })
  const { platform } = await operator.registerModules(other)
  await pull(client, operator, version)
  const path = `/api/v1/platforms/${platform.id}`
  await client.send([operator, 'DELETE', path, { platform_name: other.platform_name }], () => ({
    ...{ kind: 'removed', platform: other.platform_name },
    sourceKey: other.source_api_key,
  }))
  await operator.untilRemovalsEnd()
}

export async function backUp(client: Client, operator: Operator): Promise<void> {
  await client.send([operator, 'POST', '/api/v1/backups', {}], () => null)
  const list = (text: string): BackupsResponse => JSON.parse(text)
  await until(async () => {
    const text = await client.send([operator, 'GET', '/api/v1/backups'], (response) => {
      const [first] = response === '' ? [] : list(response).backups
      return first ? { kind: 'backup', file: first.file } : null
    })
    return list(text).backups.length > 0 ? true : null
  }, 'the backup is complete')
}
