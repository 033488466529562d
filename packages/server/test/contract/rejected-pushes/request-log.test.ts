import assert from 'node:assert/strict'
import type { LoggedRequest } from '../../../src/domain/activity/request-log.ts'
import type { RequestFilter } from '../../../src/storage/port/activity-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { createRecordWithTraces, erase, REFERENCE } from '../../helpers/storage/erasure.ts'
import { loggedRequest, only } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { removePlatform } from '../../helpers/storage/removals.ts'

const ALL: RequestFilter = {
  ...{ source: null, record_type: null, status: null, request_id: null, since: null, until: null },
}
const DETAILS = { headers: { accept: '*/*' }, body: '{"a":1}', response: '{"success":true}' }
const LINE_BYTES = 300

test('requests are listed from both ends with their platform, and opened with their details', async (kit) => {
  const school = await kit.register()
  assert.equal(await kit.storage.requests.readNewestPosition(), 0)
  const known = loggedRequest(school, { request_id: 'one', details: DETAILS })
  await save(kit, known, loggedRequest(null, { request_id: 'two', status: 401 }))
  // More than one batch.
  const many = Array.from({ length: 1061 }, (_, n) =>
    loggedRequest(school, { request_id: `n-${n}` }),
  )
  await save(kit, ...many)
  assert.equal(await kit.storage.requests.readNewestPosition(), 1063)
  assert.deepEqual((await list(kit)).slice(0, 2), ['n-1060', 'n-1059'])
  const { requests, next } = await scan(kit, { order: 'oldest', limit: 2 })
  const { platform_id: _, details, ...line } = known
  const stored = { ...line, id: 1, platform_name: 'school', body_kept: true }
  assert.deepEqual(requests[0], stored)
  assert.deepEqual([requests[1]?.platform_name, requests[1]?.body_kept, next], [null, false, 2])
  assert.deepEqual(await kit.storage.requests.readRequest(1), { ...stored, details })
  assert.equal((await kit.storage.requests.readRequest(2))?.details, null)
  assert.equal(await kit.storage.requests.readRequest(9999), null)
  const after = await scan(kit, { order: 'oldest', start: 2, limit: 1100 })
  assert.deepEqual([after.requests.length, after.next], [1061, null])
})

test('requests are filtered by platform, module, status, id and time, and counted by class', async (kit) => {
  const school = await kit.register()
  await kit.register({ name: 'clinic' })
  const sources = await kit.storage.pushErrors.listPushSources()
  const [source = null, clinic = null] = sources
  const key_hint = source?.key_hints[0] ?? null
  await save(
    kit,
    loggedRequest(school, { request_id: 'early', at: '2026-03-10T07:00:00.000Z' }),
    loggedRequest(school, { request_id: 'staff', record_type: 'staff', status: 422 }),
    loggedRequest(null, { request_id: 'likely', status: 401, key_hint }),
    loggedRequest(null, { request_id: 'unknown', status: 503 }),
  )
  assert.deepEqual(await list(kit, { source }), ['likely', 'staff', 'early'])
  assert.deepEqual(await list(kit, { source: clinic && { ...clinic, key_hints: [] } }), [])
  assert.deepEqual(await list(kit, { record_type: 'staff' }), ['staff'])
  assert.deepEqual(await list(kit, { status: { min: 400, max: 499 } }), ['likely', 'staff'])
  assert.deepEqual(await list(kit, { request_id: 'early' }), ['early'])
  assert.deepEqual(await list(kit, { until: '2026-03-10T07:30:00.000Z' }), ['early'])
  assert.deepEqual(await list(kit, { since: '2026-03-10T07:30:00.000Z', source }), [
    ...['likely', 'staff'],
  ])
  const { requests } = kit.storage
  const counted = await requests.countRequests({ ...ALL, start: null })
  assert.deepEqual(counted, { counts: { 2: 1, 4: 2, 5: 1 }, next: null })
})

test('the oldest requests are deleted above the limit, and positions are not used again', async (kit) => {
  const school = await kit.register()
  for (const request_id of ['a', 'b', 'c']) await save(kit, loggedRequest(school, { request_id }))
  const limit = 2 * LINE_BYTES
  await kit.storage.requests.saveRequests([loggedRequest(null, { request_id: 'd' })], limit)
  assert.deepEqual(await list(kit), ['d', 'c'])
  await kit.storage.requests.saveRequests([loggedRequest(school, { details: DETAILS })], 0)
  assert.deepEqual(await list(kit), [])
  await save(kit, loggedRequest(school))
  assert.equal(only((await scan(kit, {})).requests).id, 6)
  assert.equal(Number((await kit.runSql('SELECT count(*) AS n FROM request_details'))[0]?.['n']), 0)
})

test('what names an erased record, and requests of removed platforms, are not saved', async (kit) => {
  const { school, id } = await createRecordWithTraces(kit)
  await erase(kit, id, 'erase')
  const details = { ...DETAILS, body: `{"reference_number":"${REFERENCE}"}` }
  const rejected = { status: 422, outcome: 'invalid_record', details, reference_number: REFERENCE }
  await save(
    kit,
    // It was accepted before the erasure.
    loggedRequest(school, { request_id: 'accepted', record_id: id, reference_number: REFERENCE }),
    loggedRequest(school, { request_id: 'rejected', ...rejected }),
    loggedRequest(school, { request_id: 'line only', ...rejected, details: null }),
  )
  const [line, withBody] = (await scan(kit, { limit: 2 })).requests
  for (const one of [line, withBody]) {
    assert.deepEqual([one?.reference_number, one?.body_kept], [null, false])
  }
  assert.deepEqual([line?.request_id, withBody?.request_id], ['line only', 'rejected'])
  const clinic = await kit.register({ name: 'clinic' })
  await removePlatform(kit, clinic)
  await save(kit, loggedRequest(clinic, { request_id: 'removed' }))
  assert.ok(!(await list(kit)).includes('removed'))
})

const save = ({ storage }: StorageKit, ...requests: LoggedRequest[]) =>
  storage.requests.saveRequests(requests, 1_000_000)

type Scan = Parameters<StorageKit['storage']['requests']['scanRequests']>[0]

const scan = ({ storage }: StorageKit, query: Partial<Scan>) =>
  storage.requests.scanRequests({ ...ALL, order: 'newest', start: null, limit: 100, ...query })

const list = async (kit: StorageKit, query: Partial<Scan> = {}) =>
  (await scan(kit, query)).requests.map(({ request_id }) => request_id)
