/** Bodies of every route that accepts one: each is accepted or rejected alike on both engines, never with a 5xx. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import type { HubRequest } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { anyJson, bytesOf } from './arbitraries.ts'
import { expectHandled, expectUnharmed, fuzz } from './checks.ts'
import { bodyText, type Operation, pathOf, readOperations } from './routes.ts'
import { type RegisteredHub, sendToBoth, shareTwoHubs } from './two-hubs.ts'

/** What would end the sessions of the test, start a pull, or call other servers. `restore.test.ts` covers backups. */
const EXCLUDED = /\/tokens\/|\/api\/v1\/pulls$|pull-all|backup|test-mail|auto-sync|\/pull$/
/** What a rejected request must not change. */
const TABLES = [
  'records',
  'record_history',
  'platforms',
  'modules',
  'operators',
  'rejected_pushes',
  'api_tokens',
  'saved_views',
  'pulls',
  'invitations',
  'tombstones',
]
/** Responses to requests that have not passed the validation. */
const REJECTED = new Set([
  'invalid_request',
  'invalid_json',
  'unsupported_media_type',
  'not_found',
  'body_too_large',
])

const OWN = {
  source_base_url: [
    'http://127.0.0.1:1',
    'http://169.254.169.254/',
    'not a url',
    'ftp://x',
    'http://user:pass@127.0.0.1:1/?a#b',
    'http://[::1]:1',
    'http://127.0.0.1:99999',
  ],
  record_types: ['cases', 'people'],
  record_type: ['cases', 'people'],
  platform: ['fuzzed'],
  platform_name: ['not fuzzed'],
  status: ['active'],
  role: ['viewer', 'operator', 'admin'],
  email: ['a@example.org', 'a@', '@', 'ä@example.org', `${'x'.repeat(300)}@example.org`],
  password: ['correct horse battery staple', 'x'.repeat(10_000)],
  schedule: ['* * * * *', 'off', '61 * * * *', '*/0 * * * *'],
  pattern: ['* * * * *', 'off'],
  fields: ['status', 'x'],
}

describe('fuzzed request bodies', () => {
  const hubs = shareTwoHubs(
    { platform_name: 'fuzzed' },
    { clock: new TestClock(), withOperator: true },
  )
  let operations: Operation[] = []
  before(async () => {
    for (const { hub, registered } of hubs()) {
      for (const reference of ['1', '2', '3']) {
        assert.equal((await hub.push(registered.hub_api_key, newRecord(reference))).status, 201)
      }
      for (const body of [newRecord('4', { data: 1 }), newRecord('5', { record_type: 'x' })]) {
        assert.equal((await hub.push(registered.hub_api_key, body)).status, 422)
      }
    }
    operations = (await readOperations(hubs()[0].hub)).filter(
      ({ method, path }) => method !== 'GET' && !EXCLUDED.test(path),
    )
  })

  async function countRows({ hub }: RegisteredHub): Promise<unknown> {
    const known = await runSql(
      hub.storage,
      (await hub.storage.readEngine()).engine === 'sqlite'
        ? "SELECT name FROM sqlite_schema WHERE type = 'table'"
        : "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
    )
    const names = new Set(known.map(({ name }) => name))
    const counts = TABLES.filter((table) => names.has(table)).map(
      (table) => `(SELECT count(*) FROM ${table}) AS ${table}`,
    )
    assert.ok(counts.length >= 6, counts.join())
    return runSql(hub.storage, `SELECT ${counts.join()}`)
  }

  async function check(
    operation: Pick<Operation, 'method' | 'path'>,
    url: string,
    body: Buffer,
  ): Promise<void> {
    const before = await Promise.all(hubs().map(countRows))
    const requestOf = ({ hub, registered }: RegisteredHub): HubRequest => ({
      method: operation.method,
      url,
      headers: {
        authorization: hub.authorization('admin'),
        'x-api-key': registered.hub_api_key,
        'content-type': 'application/json',
        accept: 'application/json',
      },
      body,
    })
    const [response] = await sendToBoth(hubs(), requestOf, {
      compare: ({ status, text }) => `${status} ${/"code":"\w+"/.exec(text)?.[0]}`,
    })
    // The probe of a platform that cannot be reached.
    const code = expectHandled(response, { upstream: true })
    if (response.status >= 500) assert.match(code ?? '', /^(?:platform|sign_on|mail)_/)
    if (code !== null && REJECTED.has(code)) {
      assert.deepEqual(await Promise.all(hubs().map(countRows)), before)
    }
  }

  test('bodies made from the schemas of the routes', async () => {
    const cases = fc
      .constantFrom(...operations)
      .chain((operation) =>
        fc.tuple(
          fc.constant(operation),
          pathOf(operation.path, ['1', '2', '3', 'cases', 'x']),
          bytesOf(operation.body ? bodyText(operation.body, OWN) : anyJson, { damaged: 0.1 }),
        ),
      )
    await fuzz(cases, {
      quick: 12,
      deep: 5000,
      check: ([operation, url, body]) => check(operation, url, body),
    })
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })
})
