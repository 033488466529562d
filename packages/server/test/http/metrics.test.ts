/** The metrics of a hub, as a scraper reads them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HubError } from '../../src/errors.ts'
import { MAX_PLATFORM_SERIES } from '../../src/features/monitoring/metrics/stored-metrics.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectError } from '../helpers/hub/response.ts'
import { METRICS_TOKEN, namesOf, parseScrape, scrape, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { changeLog, newPlatform } from '../helpers/storage/fixtures.ts'
import { runSql } from '../helpers/storage/sql.ts'

/** All series of a hub without platforms: none has a label with values that platforms choose. */
const MAX_OWN_SERIES = 350
const SERIES_PER_PLATFORM = 4
const COMMON_LABELS = [
  'engine',
  'kind',
  'le',
  'node_version',
  'outcome',
  'platform',
  'reason',
  'result',
]
const LABELS = [...COMMON_LABELS, 'sender', 'state', 'status', 'version']

describeOnEngines('metrics', (engine) => {
  test('pushes are counted by outcome, and accepted ones are timed', async () => {
    await using hub = await startTestHub(engine, {
      env: { ...WITH_METRICS, HUB_RATE_LIMIT: '7' },
      monotonicClock: { now: () => 0 },
    })
    const { post, platform_name } = await hub.registerPushing()
    await post(newRecord('E-1'))
    await post(newRecord('E-1'))
    await post(newRecord('E-1', { full_name: 'Ann Other' }))
    await post(newRecord('E-2', { full_name: 7 }))
    await post(newRecord('E-2', { record_type: 'unknown' }))
    await post('{')
    await hub.push('not a key', newRecord('E-3'))
    await hub.send({ url: '/api/webhook/check', headers: { 'x-api-key': 'not a key' } })
    const scraped = await scrape(hub)
    const pushes = (outcome: string) => scraped.get(`recordhub_pushes_total{outcome="${outcome}"}`)
    assert.deepEqual(
      ['created', 'updated', 'unchanged', 'rejected', 'unreadable', 'unauthorized', 'failed'].map(
        pushes,
      ),
      [1, 1, 1, 2, 1, 1, 0],
    )
    assert.equal(scraped.get('recordhub_push_duration_seconds_count'), 3)
    assert.equal(scraped.get('recordhub_push_duration_seconds_bucket{le="+Inf"}'), 3)
    assert.equal(scraped.get('recordhub_commit_records_sum{kind="push"}'), 3)
    assert.equal(scraped.get('recordhub_commit_duration_seconds_count{kind="push"}'), 3)
    assert.equal(scraped.get('recordhub_push_queue_pushes'), 0)
    assert.equal(scraped.get('recordhub_records'), 1)
    assert.equal(scraped.get(`recordhub_platform_pushes_total{platform="${platform_name}"}`), 3)
    const first = newRecord('E-9')
    const statuses = []
    for (let count = 0; count < 20; count += 1) {
      statuses.push((await post(first)).status)
    }
    const throttled = statuses.filter((status) => status === 429).length
    assert.ok(throttled > 0)
    const after = await scrape(hub)
    assert.equal(after.get('recordhub_pushes_total{outcome="throttled"}'), throttled)
  })

  test('pulls, tasks, their records and retried requests are counted', async () => {
    await using hub = await startTestHub(engine, { env: WITH_METRICS })
    await using platform = await hub.createPlatform({ modules: 2 })
    platform.modules[0]?.records.push(simulatedRecord(1), simulatedRecord(2), { broken: true })
    platform.queueResponses('records/cases', respond.status(503))
    platform.setResponse('records/module_2', respond.status(500))
    const { pull } = await hub.pullAll()
    assert.equal(pull.state, 'partial')
    const scraped = await scrape(hub)
    const expected = {
      'recordhub_pulls_total{state="partial"}': 1,
      'recordhub_pulls_total{state="succeeded"}': 0,
      recordhub_pull_duration_seconds_count: 1,
      'recordhub_pull_tasks_total{state="succeeded"}': 1,
      'recordhub_pull_tasks_total{state="failed"}': 1,
      'recordhub_pull_tasks_total{state="not_reached"}': 0,
      recordhub_pull_task_duration_seconds_count: 2,
      'recordhub_pull_records_total{outcome="created"}': 2,
      'recordhub_pull_records_total{outcome="rejected"}': 1,
      'recordhub_platform_request_retries_total{reason="503"}': 1,
      'recordhub_platform_requests_total{result="5xx"}': 2,
      'recordhub_pulls_unfinished{state="running"}': 0,
      'recordhub_commit_records_sum{kind="pull"}': 2,
      recordhub_records: 2,
      recordhub_modules: 2,
      'recordhub_platforms{status="active"}': 1,
    }
    const found = Object.keys(expected).map((name) => [name, scraped.get(name)])
    assert.deepEqual(Object.fromEntries(found), expected)
    assert.ok((scraped.get('recordhub_rejected_stored_bytes') ?? 0) > 0)
  })

  test('a scrape without the database says so, and has the metrics of the process', async () => {
    let isDown = false
    await using hub = await startTestHub(engine, {
      env: WITH_METRICS,
      wrap: (storage) => ({
        ...storage,
        metricFigures: {
          readFigures: async () => {
            if (isDown) throw new HubError('storage_unavailable', { seconds: 5 })
            return storage.metricFigures.readFigures()
          },
        },
      }),
    })
    const before = await scrape(hub)
    assert.equal(before.get('recordhub_database_up'), 1)
    assert.ok((before.get('recordhub_database_size_bytes') ?? 0) > 0)
    isDown = true
    const after = await scrape(hub)
    assert.equal(after.get('recordhub_database_up'), 0)
    assert.ok(!after.has('recordhub_records'))
    assert.ok(after.has('recordhub_pushes_total{outcome="created"}'))
    assert.ok((after.get('process_resident_memory_bytes') ?? 0) > 0)
    isDown = false
    assert.equal((await scrape(hub)).get('recordhub_database_up'), 1)
  })

  test('with 1,020 platforms of 10 modules, 1,000 platforms have 4 series each, and modules none', async () => {
    await using hub = await startTestHub(engine, {
      env: WITH_METRICS,
      // On PostgreSQL, 10,200 views take a minute.
      wrap: (storage) => {
        const { defineViews } = storage.sqlViews
        return { ...storage, sqlViews: { defineViews, refreshViews: async () => [] } }
      },
    })
    const own = (await scrape(hub)).size
    assert.ok(own <= MAX_OWN_SERIES, `${own} series without platforms`)
    const first = newPlatform('platform-0', { registered: ['type-0'] })
    await hub.storage.platforms.registerPlatform(first, changeLog())
    // No platform was pulled yet, so the series with the time of the last pull is absent.
    assert.equal((await scrape(hub)).size, own + SERIES_PER_PLATFORM - 1)
    await copyPlatform(hub, { platforms: MAX_PLATFORM_SERIES + 20, modules: 10 })
    const scraped = await scrape(hub)
    assert.equal(scraped.get('recordhub_platforms{status="active"}'), MAX_PLATFORM_SERIES + 20)
    assert.equal(scraped.get('recordhub_modules'), (MAX_PLATFORM_SERIES + 20) * 10)
    assert.equal(scraped.size, own + MAX_PLATFORM_SERIES * SERIES_PER_PLATFORM)
    assert.ok(![...scraped.keys()].some((series) => series.includes('type-')))
    const labels = new Set(
      [...scraped.keys()].flatMap((series) => series.match(/\w+(?==")/g) ?? []),
    )
    // Only SQLite has threads.
    labels.delete('thread')
    assert.deepEqual([...labels].toSorted(), LABELS)
  })
})

/** Copies the platform `platform-0` and its module until the hub has this number of platforms. Registering them would take a minute. */
async function copyPlatform(
  { storage }: TestHub,
  { platforms, modules }: { platforms: number; modules: number },
): Promise<void> {
  const numbers = (count: number) =>
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count - 1})`
  const platform = `display_title, platform_description, source_base_url, source_key_secret_id, status,
    manifest_fetched_at, created_at, updated_at`
  await runSql(
    storage,
    `INSERT INTO platforms (platform_name, ${platform}) ${numbers(platforms)}
      SELECT 'platform-' || i, ${platform} FROM platforms, n`,
  )
  await runSql(storage, `UPDATE platforms SET last_pulled_at = '2026-03-10T08:00:00.000Z'`)
  const module = 'module_name, description, fields, position, registered_at'
  await runSql(
    storage,
    `INSERT INTO modules (platform_id, record_type, ${module})
      SELECT p.platform_id, 'type-0', ${module} FROM platforms p, modules WHERE platform_name <> 'platform-0'`,
  )
  await runSql(
    storage,
    `INSERT INTO modules (platform_id, record_type, ${module}) ${numbers(modules)}
      SELECT platform_id, 'type-' || i, ${module} FROM modules, n`,
  )
}

describeHub('access to metrics', { env: WITH_METRICS, withOperator: true }, (hub, engine) => {
  test('only the token of HUB_METRICS_TOKEN gives access, also not a session or a program', async () => {
    const tokens = ['', 'Bearer', `Bearer ${METRICS_TOKEN}x`, `Basic ${METRICS_TOKEN}`]
    for (const authorization of [...tokens, hub.authorization('admin')]) {
      const response = await hub.send({ url: '/metrics', headers: { authorization } })
      expectError(response, 401, 'metrics_token_invalid')
      assert.match(response.header('www-authenticate'), /^Bearer realm="recordhub"/)
    }
    assert.ok((await scrape(hub)).size > 100)
  })

  test('without a token and a second port, there are no metrics', async () => {
    await using other = await startTestHub(engine)
    expectError(await other.send({ url: '/metrics' }), 404, 'not_found')
    assert.equal(other.metricsAddress, null)
  })

  test('the second port serves metrics and health checks, and nothing else', async () => {
    await using other = await startTestHub(engine, { env: { HUB_METRICS_PORT: '0' } })
    const address = other.metricsAddress ?? assert.fail('no second port')
    const second = { address }
    const metrics = await sendOverSocket(second, { url: '/metrics' })
    assert.ok(parseScrape(metrics.text).has('recordhub_database_up'))
    assert.equal((await sendOverSocket(second, { url: '/healthz' })).status, 200)
    assert.equal((await sendOverSocket(second, { url: '/readyz' })).status, 200)
    for (const url of ['/', '/dashboard', '/api/v1/records', '/api/openapi.json', '/sign-in']) {
      expectError(await sendOverSocket(second, { url }), 404, 'not_found')
    }
    const pushed = await sendOverSocket(second, { method: 'POST', url: '/api/webhook/receive' })
    assert.equal(pushed.status, 404)
    expectError(await other.send({ url: '/metrics' }), 404, 'not_found')
  })

  test('the second port requires the token if there is one', async () => {
    const env = { ...WITH_METRICS, HUB_METRICS_PORT: '0' }
    await using other = await startTestHub(engine, { env })
    const second = { address: other.metricsAddress ?? assert.fail('no second port') }
    expectError(await sendOverSocket(second, { url: '/metrics' }), 401, 'metrics_token_invalid')
    const headers = { authorization: `bearer ${METRICS_TOKEN}` }
    assert.equal((await sendOverSocket(second, { url: '/metrics', headers })).status, 200)
  })

  test('every metric has the prefix of the hub or the name of a client library', async () => {
    for (const name of namesOf(await scrape(hub))) {
      assert.match(name, /^(?:recordhub|process|nodejs)_[a-z0-9_]+$/)
    }
    assert.equal(MAX_PLATFORM_SERIES, 1000)
  })
})
