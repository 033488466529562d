/** Stored values: whatever values a hub has accepted, what reads them costs no more than in proportion to their size. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Operation, readOperations } from '../fuzz/routes.ts'
import { untilIndexed } from '../fuzz/two-hubs.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { readSqlViews } from '../helpers/storage/sql.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'
import { VALUES } from './families.ts'
import { expectLinear, type Interface } from './growth.ts'

/** Characters of each value. Each family is a field of a module, so that lists, views and exports have a column for it. */
const SIZE = rounds(2 ** 13, 2 ** 15)
const STREAMS = /\/events$|\/metrics$|z$/
const FORMATS = ['csv', 'xlsx', 'ndjson']

describeOnEngines('the cost of reading stored values', (engine) => {
  const hubs = new Map<string, TestHub>()
  let operations: Operation[] = []
  const keys = VALUES.map((_, index) => `f${index}`)

  /** A hub with a record for each family whose value the receiver accepts, and a rejected push for each other one. */
  async function fill(size: number): Promise<TestHub> {
    const hub = await startTestHub(engine)
    const platform = await hub.registerPushing({
      platform_name: 'worst',
      modules: [simulatedModule('cases', { keys })],
    })
    let accepted = 0
    for (const [index, { make }] of VALUES.entries()) {
      const names = `"module_name":"Module cases","record_type":"cases","reference_number":"R-${index}","full_name":"Person ${index}"`
      const { status, text } = await platform.post(`{${names},"data":{"f${index}":${make(size)}}}`)
      assert.ok(status < 500, text)
      if (status === 201) accepted += 1
      // A second version, for the history.
      await platform.patch(`{${names},"data":{"changed":1}}`)
    }
    assert.ok(accepted > VALUES.length / 2, `${accepted} values were accepted`)
    await untilIndexed([hub])
    return hub
  }

  before(async () => {
    for (const size of [SIZE / 4, SIZE]) hubs.set(String(size), await fill(size))
    const [hub] = hubs.values()
    assert.ok(hub)
    operations = (await readOperations(hub)).filter(
      ({ method, path }) => method === 'GET' && !STREAMS.test(path),
    )
  })
  after(async () => {
    for (const hub of hubs.values()) await hub[Symbol.asyncDispose]()
  })

  const hubOf = (size: string) =>
    hubs.get(size) ?? assert.fail(`no hub has values of ${size} characters`)
  const reading = (url: string): Interface => ({
    name: `GET ${url}`,
    size: SIZE,
    use: (size) => hubOf(size).get(url),
  })
  /** The hubs are filled before. An interface gets the size that selects one. */
  const SIZES = [{ name: `values of ${SIZE} characters`, make: String }]

  test('grows with their size in lists, filters, searches, histories, exports and reports', (t) => {
    const worst = VALUES.findIndex(({ name }) => name.includes('marks in the opposite'))
    return expectLinear(
      t,
      [
        ...operations.map(({ path }) =>
          path.replaceAll('{record_type}', 'cases').replaceAll(/\{\w+\}/g, '1'),
        ),
        ...[`f${worst}`, 'f0', 'f2'].flatMap((key) => [
          `/api/v1/records?filter[${key}][contains]=zzz&platform=worst&record_type=cases`,
          `/api/v1/records?filter[${key}][starts]=zzz&platform=worst&record_type=cases`,
          `/api/v1/records?sort=data.${key}&platform=worst&record_type=cases`,
          `/api/v1/records?filter[${key}[].a.b[]][in]=zzz&platform=worst&record_type=cases`,
          `/api/v1/records/facets?facet=${key}&facet=${key}[].a`,
        ]),
        ...['zzz', '"zzz aaa"', 'zzz%CC%80'].map((query) => `/api/v1/records?q=${query}`),
        '/api/v1/search?query=zzz',
        ...FORMATS.map(
          (format) => `/api/v1/records/export?format=${format}&platform=worst&record_type=cases`,
        ),
        ...VALUES.map((_, index) => `/api/v1/records/${index + 1}`)
          .filter((_, index) => index % rounds(70, 1) === 0)
          .flatMap((path) => [path, `${path}/history`]),
      ].map(reading),
      SIZES,
    )
  })

  if (!isDeep) return

  test('grows with their size in SQL views, backups and restore drills', (t) => {
    return expectLinear(
      t,
      [
        {
          name: 'a SQL view',
          use: (size: string) => readSqlViews(hubOf(size).storage),
        },
        { name: 'a backup and its drill', use: (size: string) => backUp(hubOf(size)) },
      ].map((one) => ({ ...one, size: SIZE })),
      SIZES,
    )
  })
})

/** Creates a backup, restores it in a drill, and waits for the end of both. */
async function backUp(hub: TestHub): Promise<void> {
  const untilIdle = () =>
    until(async () => {
      const { run, backups } = JSON.parse((await hub.get('/api/v1/backups')).text)
      assert.notEqual(run.state, 'failed', run.error)
      return run.state === 'running' ? null : backups
    }, 'no backup is running')
  const post = async (url: string) => {
    const response = await hub.callAs('admin', 'POST', url, {})
    assert.equal(response.status, 202, response.text)
  }
  await post('/api/v1/backups')
  const [backup] = await untilIdle()
  await post(`/api/v1/backups/${backup.file}/drill`)
  await untilIdle()
}
