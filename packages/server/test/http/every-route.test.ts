/** One path of each route on each engine. The other tests of this folder run on SQLite unless the engine matters. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ACCESS, requiresCaller } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import { loggedRequest, only } from '../helpers/storage/fixtures.ts'

/** Required queries. */
const QUERIES: Record<string, string> = {
  'GET /api/v1/search': '?query=person',
  'GET /api/v1/records/export': '?format=csv',
  'GET /api/v1/records/facets': '?facet=status',
  'GET /api/v1/activity/export': '?format=csv',
  'GET /api/v1/audit/export': '?format=csv',
}
/** Streams, and rows that other tests create. */
const OTHER_TESTS = [
  'GET /dashboard/events',
  'GET /api/v1/missing-reviews/:id',
  'GET /api/v1/backups/:file',
]
const ROUTES = Object.entries(ACCESS).flatMap(([name, access]) =>
  requiresCaller(access) && name !== 'POST /api/auth/sign-out' ? [name] : [],
)

describeHub('every route', { engines: 'both', withOperator: true }, (hub) => {
  let headers: Record<string, string> = {}
  const ids: Record<string, string> = {}
  let failedWhenEmpty: string[] = []

  async function failedReads(isTried: (route: string) => boolean): Promise<string[]> {
    const failed: string[] = []
    for (const name of ROUTES) {
      if (!name.startsWith('GET ') || OTHER_TESTS.includes(name) || !isTried(name)) continue
      const [, collection = ''] = /\/api\/v1\/([\w-]+)\/:/.exec(name) ?? []
      const path = name
        .slice('GET '.length)
        .replace(':record_type', 'cases')
        .replace(/:\w+/, ids[collection] ?? '')
        .replace('*', 'pulls')
      const response = await hub.send({ url: `${path}${QUERIES[name] ?? ''}`, headers })
      if (response.status !== 200) failed.push(`${name}: ${response.status} ${response.text}`)
    }
    return failed
  }

  before(async () => {
    headers = (await hub.signIn()).headers
    failedWhenEmpty = await failedReads((route) => !route.includes(':'))
    const records = [simulatedRecord(1), simulatedRecord(2)]
    const modules = [simulatedModule('cases', { records })]
    await using simulated = await simulatePlatform({ modules })
    const platform = await hub.register(simulated)
    const { pull } = await hub.pullAll()
    await platform.post(newRecord('R-1', { data: { status: 'changed' } }))
    const rejected = await hub.sendRejectedPush(platform, newRecord('R-3', { data: 1 }))
    await hub.storage.requests.saveRequests([loggedRequest(null)], 1e6)
    const [record] = await hub.records(simulated.platform_name)
    const body = { scope: { pull_id: pull.id }, reason: 'a test' }
    const { revert } = await hub.call('POST /api/v1/reverts', { body })
    const [operator] = await hub.storage.operators.listOperators()
    Object.assign(ids, {
      platforms: `${platform.id}`,
      pulls: `${pull.id}`,
      records: `${record?.record_id}`,
      'rejected-pushes': `${rejected.id}`,
      operators: operator?.id,
      requests: '1',
      reverts: `${revert.id}`,
    })
  })

  test('every GET of a list returns 200 from a hub without rows', () => {
    assert.deepEqual(failedWhenEmpty, [])
  })

  test('every GET of a stored row or list returns 200', async () => {
    assert.deepEqual(await failedReads(() => true), [])
  })

  test('every change of an unknown row, or without its members, returns no 5xx error', async () => {
    const statuses: Record<string, number> = {}
    for (const name of ROUTES) {
      const [method, path = ''] = name.split(' ')
      if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH' && method !== 'DELETE') {
        continue
      }
      const url = path.replaceAll(/:\w+/g, '999999')
      statuses[name] = (await hub.send({ method, url, headers, body: {} })).status
      assert.ok(Number(statuses[name]) < 500, `${name}: ${statuses[name]}`)
    }
    assert.equal(statuses['PATCH /api/v1/platforms/:id'], 400)
    assert.equal(only(await hub.storage.platforms.listPlatforms()).id, Number(ids['platforms']))
  })
})
