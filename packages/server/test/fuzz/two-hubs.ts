/** Two hubs, one on each engine, that receive the same requests and must give the same responses. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import {
  type HubRequest,
  startTestHub,
  type TestHub,
  type TestHubOptions,
} from '../helpers/hub/hub.ts'
import type { TestResponse } from '../helpers/hub/response.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'
import type { PlatformOptions } from '../helpers/platform/platform.ts'
import { postgresEngine } from '../helpers/storage/postgres.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { expectSame } from './checks.ts'

export type RegisteredHub = { hub: TestHub; registered: RegisteredPlatform }

/** The hubs on SQLite and on PostgreSQL, each with the same platform. */
export type TwoHubs = readonly [RegisteredHub, RegisteredHub]

/** Two hubs that the tests of a `describe` share. */
export function shareTwoHubs(
  platform: PlatformOptions,
  options: TestHubOptions = {},
): () => TwoHubs {
  let hubs: TwoHubs | null = null
  const start = async (engine: typeof sqliteEngine): Promise<RegisteredHub> => {
    const hub = await startTestHub(engine, options)
    return { hub, registered: await hub.registerPushing(platform) }
  }
  before(async () => {
    hubs = [await start(sqliteEngine), await start(postgresEngine)]
  })
  after(async () => {
    for (const { hub } of hubs ?? []) await hub[Symbol.asyncDispose]()
  })
  return () => hubs ?? assert.fail('The hubs have not started')
}

/** Sends a request to both hubs, asserts that they respond alike, and returns the responses. */
export async function sendToBoth(
  hubs: TwoHubs,
  requestOf: (one: RegisteredHub) => HubRequest,
  { compare = comparable }: { compare?: (response: TestResponse) => string } = {},
): Promise<[TestResponse, TestResponse]> {
  const [sqlite, postgres] = hubs
  const responses = await Promise.all([
    sqlite.hub.send(requestOf(sqlite)),
    postgres.hub.send(requestOf(postgres)),
  ])
  const [onSqlite, onPostgres] = responses
  expectSame(compare(onSqlite), compare(onPostgres))
  return responses
}

/** A response without what differs from hub to hub: ids, times, and the number of records that an engine examines. */
export function comparable({ status, text }: TestResponse): string {
  const stable = text
    .replaceAll(
      /"(request_id|created_at|updated_at|at|next_cursor|previous_cursor|generated_at|since|missing_since|replayed_at|first_at|last_at|hub_api_key_hint|hint|source_base_url)":"[^"]*"/g,
      '"$1":"…"',
    )
    .replaceAll(
      /"(record_id|id|estimated_total|examined|platform_id|pull_id|took_ms)":\d+/g,
      '"$1":0',
    )
    .replaceAll(/"total_is_estimate":(?:true|false)/g, '')
  return `${status} ${stable}`
}

/** Waits until searches include all records. */
export async function untilIndexed(hubs: readonly TestHub[]): Promise<void> {
  for (const hub of hubs) await hub.untilIndexed()
}
