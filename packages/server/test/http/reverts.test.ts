/** Reverts and holds through the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse, type Revert, type RevertScope } from '@recordhub/protocol'
import { found } from '../../src/errors.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform } from '../helpers/hub/pulled-hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { until } from '../helpers/time/until.ts'

const reason = 'a wrong file was imported'

async function plan(hub: TestHub, scope: RevertScope): Promise<Revert> {
  return (await hub.call('POST /api/v1/reverts', { body: { scope, reason } })).revert
}

async function read(hub: TestHub, id: number): Promise<Revert> {
  return (await hub.call('GET /api/v1/reverts/:id', { params: { id } })).revert
}

/** Plans and applies a revert. */
async function revert(hub: TestHub, scope: RevertScope): Promise<Revert> {
  return run(hub, (await plan(hub, scope)).id)
}

async function run(hub: TestHub, id: number): Promise<Revert> {
  await hub.call('POST /api/v1/reverts/:id/start', {
    params: { id },
    body: null,
    as: 'reverts',
  })
  return until(async () => {
    const found = await read(hub, id)
    return found.finished_at === null ? null : found
  }, 'the revert has ended')
}

describeHub('reverts', (hub) => {
  test('a pull is planned, reverted, and held back from then on', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    const list = (...names: string[]) => {
      module.records = names.map((full_name, index) => ({
        ...simulatedRecord(index + 1),
        full_name,
      }))
    }
    list('Ann', 'Bob')
    await kit.pull()
    list('Wrong', 'Bob', 'New')
    const { pull } = await kit.pull()
    const planned = await plan(hub, { pull_id: pull.id })
    assert.deepEqual([planned.state, planned.reason], ['planned', reason])
    const done = await revert(hub, { pull_id: pull.id })
    assert.deepEqual([done.state, done.counts.reverted, done.counts.held_now], ['succeeded', 2, 2])
    const task = await kit.pull()
    assert.deepEqual([task.held, task.updated, task.unchanged], [2, 0, 1])
    const names = (await kit.records()).map(({ full_name, missing_since }) => [
      full_name,
      missing_since !== null,
    ])
    assert.deepEqual(names, [
      ['Ann', false],
      ['Bob', false],
      ['New', true],
    ])
    const { modules } = await hub.call('GET /api/v1/completeness', {
      query: { platform: kit.platform.platform_name },
    })
    assert.deepEqual(
      modules.map((one) => [one.held, one.incomplete_reasons.includes('held')]),
      [[2, true]],
    )
    const { holds, summary } = await hub.call('GET /api/v1/holds', {
      query: { revert_id: done.id },
    })
    assert.deepEqual(
      holds.map((hold) => [hold.reference_number, hold.holds, hold.paths]),
      [
        ['R-1', 'values', ['/full_name']],
        ['R-3', 'existence', []],
      ],
    )
    assert.ok(summary.records >= 2)
    const platform_name = kit.platform.platform_name
    for (const record_type of [holds[0]?.record_type ?? '', 'other']) {
      const query = { platform: platform_name, record_type }
      const ofModule = await hub.call('GET /api/v1/holds', { query })
      assert.equal(ofModule.summary.records, record_type === 'other' ? 0 : 2)
    }
    const params = { id: done.id }
    const page = await hub.call('GET /api/v1/reverts/:id/records', {
      params,
      query: { outcome: 'reverted', limit: 1 },
    })
    assert.equal(only(page.records).reference_number, 'R-1')
    assert.notEqual(page.next_cursor, null)
    const csv = await hub.get(`/api/v1/reverts/${done.id}/records/export`)
    assert.match(csv.text, /^record_id,platform_name[^\n]*\n[^\n]*R-1[^\n]*\n[^\n]*R-3/)
    const { lifted } = await hub.call('DELETE /api/v1/reverts/:id/holds', { params })
    assert.equal(lifted, 2)
    assert.deepEqual([(await kit.pull()).updated, (await read(hub, done.id)).counts.lifted], [2, 2])
    const { reverts } = await hub.call('GET /api/v1/reverts', { query: { pull_id: pull.id } })
    assert.equal(reverts[0]?.id, done.id)
  })

  test('the list of a revert shows what it changes in each record, without large values', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    const list = (...data: Record<string, unknown>[]) => {
      module.records = data.map((one, index) => ({ ...simulatedRecord(index + 1), data: one }))
    }
    const large = 'x'.repeat(3000)
    list({ a: 1, b: { c: [1] } }, { a: 1 }, { a: 1 })
    await kit.pull()
    list({ a: 2, b: { c: [2] } }, { a: large }, { a: 2 }, { a: 1 })
    const { pull } = await kit.pull()
    const planned = await plan(hub, { pull_id: pull.id })
    const later = newRecord('R-3', { data: { a: 3 } })
    await hub.push(kit.registered.hub_api_key, later, 'PATCH')
    const shown = async () => {
      const params = { id: planned.id }
      const { records } = await hub.call('GET /api/v1/reverts/:id/records', { params })
      return records.map((one) => [one.reference_number, one.changes, one.changes_total])
    }
    const first = [
      { path: '/data/a', before: 2, after: 1 },
      { path: '/data/b', before: { c: [2] }, after: { c: [1] } },
    ]
    const expected = [
      ['R-1', first, 2],
      ['R-2', [], 1],
      // It would be kept by now.
      ['R-3', [], 0],
      ['R-4', [], 0],
    ]
    assert.deepEqual(await shown(), expected)
    await run(hub, planned.id)
    assert.deepEqual(await shown(), expected)
  })

  test('a module that the pull did not read is no scope of it, and nothing is planned', async () => {
    await using kit = await addPulledPlatform(hub)
    const { pull } = await kit.pull()
    const other = await hub.registerPushing()
    const { platform_name } = kit.platform
    const record_type = only(kit.platform.modules).record_type
    const scopes: [RevertScope, string][] = [
      [{ pull_id: pull.id, record_type: 'other' }, 'no module "other"'],
      [{ pull_id: pull.id, platform: other.platform_name }, 'no module of the platform'],
      [
        { pull_id: pull.id, platform: other.platform_name, record_type },
        `no module "${record_type}"`,
      ],
    ]
    for (const [scope, what] of scopes) {
      const response = await hub.callAs('operator', 'POST', '/api/v1/reverts', { scope, reason })
      const { message } = expectError(response, 422, 'module_not_in_pull')
      assert.ok(message.startsWith(`Pull ${pull.id} has ${what}`), message)
      assert.ok(message.includes(`GET /api/v1/pulls/${pull.id} lists`), message)
    }
    await hub.setStatus(other.id, 'inactive')
    const planned = await plan(hub, { pull_id: pull.id, platform: platform_name, record_type })
    const { reverts } = await hub.call('GET /api/v1/reverts', { query: { pull_id: pull.id } })
    assert.deepEqual(
      reverts.map(({ id }) => id),
      [planned.id],
    )
  })

  test('ten pulls of the same bad list bring back nothing, a truncated one marks nothing, and the first corrected one brings all', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    const good = {
      one: { status: 'open', place: { street: 'A', city: 'B' } },
      two: { status: 'open' },
      gone: { status: 'open' },
    }
    const setList = (
      list: Record<string, unknown>,
      more: (index: number) => object = () => ({}),
    ) => {
      module.records = Object.entries(list).map(([reference, data], index) => ({
        ...more(index),
        ...simulatedRecord(reference, data),
      }))
    }
    const stored = async () =>
      (await kit.records()).map((record) => [
        ...[record.reference_number, record.full_name, record.data],
        record.missing_since !== null,
      ])
    setList(good)
    await kit.pull()
    const bad = {
      one: { status: 'closed', place: { street: 'X', city: 'Y' } },
      two: { status: 'closed' },
      three: { status: 'new' },
    }
    setList(bad)
    const { pull, missing } = await kit.pull()
    assert.equal(missing, 1)
    const { counts } = await revert(hub, { pull_id: pull.id })
    assert.deepEqual([counts.reverted, counts.held_now], [4, 4])
    const reverted = await stored()

    const shuffled = {
      three: { status: 'new' },
      one: { place: { city: 'Y', street: 'X' }, status: 'closed' },
      two: { status: 'closed' },
    }
    const [field] = module.fields
    assert.ok(field)
    for (let time = 1; time <= 10; time += 1) {
      setList(time % 2 === 0 ? bad : shuffled, (index) => ({ version: `${time}.${index}` }))
      if (time === 6) module.fields.push({ ...field, key: 'added', label: 'Added' })
      const task = await kit.pull()
      const { state, held, created, updated, unchanged } = task
      assert.deepEqual([state, held, created, updated, unchanged], ['succeeded', 3, 0, 0, 0])
      assert.deepEqual([task.missing, task.not_listed], [0, 0])
      assert.deepEqual(await stored(), reverted)
    }
    const body = { success: true, platform_name: kit.platform.platform_name, total: 3 }
    const [first] = module.records
    kit.platform.queueResponses(
      'records/cases',
      respond.json({ ...body, record_type: 'cases', records: [first] }),
    )
    const truncated = await kit.pull()
    assert.deepEqual([truncated.received, truncated.missing], [1, 0])
    assert.deepEqual(await stored(), reverted)

    const corrected = {
      ...good,
      one: { status: 'open', place: { street: 'A', city: 'C' } },
      two: { status: 'waiting' },
      three: { status: 'open' },
    }
    setList(corrected)
    const task = await kit.pull()
    assert.deepEqual([task.held, task.updated, task.created], [0, 3, 0])
    const now = await stored()
    assert.deepEqual(
      new Map(now.map(([reference, , data, isMissing]) => [reference, [data, isMissing]])),
      new Map(Object.entries(corrected).map(([name, data]) => [`R-${name}`, [data, false]])),
    )
    const { holds } = await hub.call('GET /api/v1/holds', {
      query: { platform: kit.platform.platform_name },
    })
    assert.deepEqual(holds, [])
  })

  test('a held push is acknowledged with a warning and kept, and a replay stores it', async () => {
    const platform = await hub.registerPushing()
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const to = new Date(Date.now() + 3_600_000).toISOString()
    const body = newRecord('R-1', { data: { a: 1 } })
    await platform.post(body)
    await revert(hub, { platform: platform.platform_name, from, to })
    const held = expectBody(await platform.post(body), 200, PushResponse)
    assert.equal(held.outcome, 'held')
    assert.match(held.warnings?.[0] ?? '', /taken back/)
    const kept = only(await hub.rejected(platform.platform_name))
    assert.equal(kept.code, 'held')
    const { activity } = await hub.call('GET /api/v1/activity', {
      query: { platform: platform.platform_name, kind: 'push.rejected' },
    })
    assert.deepEqual(activity, [])
    // They were accepted, so they count neither as rejected nor against the platform.
    for (let time = 0; time < 3; time += 1) await platform.post(body)
    const hours = await hub.storage.alerts.readHours('2000-01-01T00', '9999-01-01T00')
    const counts = hours.filter(({ platform_id }) => platform_id === platform.id)
    assert.deepEqual([...new Set(counts.map(({ rejected }) => rejected))], [0])
    const { health } = found('platform', await hub.storage.platforms.readPlatform(platform.id))
    assert.deepEqual([health.state, health.reasons], ['healthy', []])
    const inbox = (await hub.get('/api/v1/inbox')).text
    assert.ok(!inbox.includes(`"rejected ${platform.platform_name} `), inbox)
    const replay = await hub.replay(kept.id, {})
    assert.equal(replay.outcome, 'updated')
    assert.equal(only(await hub.records(platform.platform_name)).missing_since, null)
    const { holds } = await hub.call('GET /api/v1/holds', {
      query: { platform: platform.platform_name },
    })
    assert.deepEqual(holds, [])
  })

  test('a held push that is edited to name another record lifts no holds of that', async () => {
    const platform = await hub.registerPushing()
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const to = new Date(Date.now() + 3_600_000).toISOString()
    const [one, other] = [newRecord('R-1'), newRecord('R-2')]
    for (const body of [one, other]) await platform.post(body)
    await revert(hub, { platform: platform.platform_name, from, to })
    await platform.post(one)
    const { id } = only(await hub.rejected(platform.platform_name))
    const path = `/api/v1/rejected-pushes/${id}/replay`
    expectError(await hub.callAs('operator', 'POST', path, { body: other }), 409, 'held')
    const { summary } = await hub.call('GET /api/v1/holds', {
      query: { platform: platform.platform_name },
    })
    assert.equal(summary.records, 2)
    const edited = { ...one, full_name: 'Edited' }
    const { text } = await hub.callAs('operator', 'POST', path, { body: edited })
    assert.equal(JSON.parse(text).replay.outcome, 'updated')
  })

  test('one of several holds of a record is lifted by its path', async () => {
    const platform = await hub.registerPushing()
    for (const value of [1, 2, 3]) {
      await platform.post(newRecord('R-1', { data: { a: value, b: value } }))
    }
    const { record_id } = only(await hub.records(platform.platform_name))
    const { history } = await hub.call('GET /api/v1/records/:record_id/history', {
      params: { record_id },
    })
    const version = Math.min(...history.map(({ change_seq }) => change_seq))
    const { id } = await revert(hub, { record_id, version })
    const lift = (query: string) =>
      hub.callAs('operator', 'DELETE', `/api/v1/records/${record_id}/holds?${query}`)
    expectError(await lift(`revert_id=${id}`), 400, 'invalid_request')
    expectError(await lift(`revert_id=${id}&path=/data/c`), 404, 'not_found')
    assert.equal((await lift(`revert_id=${id}&path=/data/a`)).status, 200)
    const { holds } = await hub.call('GET /api/v1/holds', { query: { record_id } })
    assert.deepEqual(only(holds).paths, ['/data/b'])
    const { audit } = await hub.call('GET /api/v1/audit', { query: { limit: 10 } })
    const lifted = audit.find(({ details }) => details['path'] === '/data/a')
    assert.equal(lifted?.details['revert_id'], id)
  })

  test('a record returns to the state in which it was received', async () => {
    const platform = await hub.registerPushing()
    for (const value of [1, 2, 3]) await platform.post(newRecord('R-1', { data: { a: value } }))
    const { record_id } = only(await hub.records(platform.platform_name))
    await revert(hub, { record_id, version: 0 })
    assert.deepEqual(only(await hub.records(platform.platform_name)).data, { a: 1 })
  })

  test('the hold on the existence of a record is lifted by its path, which is empty', async () => {
    const platform = await hub.registerPushing()
    const from = new Date(Date.now() - 3_600_000).toISOString()
    const to = new Date(Date.now() + 3_600_000).toISOString()
    await platform.post(newRecord('R-1'))
    const { id } = await revert(hub, { platform: platform.platform_name, from, to })
    const { record_id } = only(await hub.records(platform.platform_name))
    const path = `/api/v1/records/${record_id}/holds?revert_id=${id}&path=`
    const { status, text } = await hub.callAs('operator', 'DELETE', path)
    assert.equal(status, 200, text)
    assert.equal(JSON.parse(text).lifted, 1)
  })

  test('a scope that names something unknown is not found', async () => {
    const platform = await hub.registerPushing()
    await platform.post(newRecord('R-1'))
    const { record_id } = only(await hub.records(platform.platform_name))
    const [from, to] = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z']
    const scopes: [RevertScope, RegExp][] = [
      [{ pull_id: 999_999 }, /pull/],
      [{ revert_id: 999_999 }, /revert/],
      [{ record_id: 999_999, version: 1 }, /record/],
      [{ record_id, version: 999_999 }, /change/],
      [{ record_id, version: 0 }, /change/],
      [{ platform: 'unknown', from, to }, /platform/],
    ]
    for (const [scope, message] of scopes) {
      const response = await hub.callAs('operator', 'POST', '/api/v1/reverts', { scope, reason })
      assert.match(expectError(response, 404, 'not_found').message, message)
    }
  })

  test('only a plan is started, and only a revert that has not ended is cancelled', async () => {
    const platform = await hub.registerPushing()
    const [from, to] = ['2020-01-01T00:00:00Z', '2020-01-02T00:00:00Z']
    const scope = { platform: platform.platform_name, from, to }
    const send = (body: object) => hub.callAs('operator', 'POST', '/api/v1/reverts', body)
    expectError(await send({ scope: { ...scope, to: from }, reason }), 400, 'invalid_request')
    expectError(await send({ scope }), 400, 'invalid_request')
    expectError(await send({ scope, reason: ' \n' }), 400, 'invalid_request')
    // No database has such an id.
    expectError(await send({ scope: { pull_id: 1e20 }, reason }), 400, 'invalid_request')
    expectError(await send({ scope: { pull_id: 999_999 }, reason }), 404, 'not_found')
    const { id } = await plan(hub, scope)
    await hub.call('POST /api/v1/reverts/:id/cancel', { params: { id } })
    assert.equal((await read(hub, id)).state, 'cancelled')
    for (const action of ['start', 'cancel']) {
      const response = await hub.callAs('reverts', 'POST', `/api/v1/reverts/${id}/${action}`)
      expectError(response, 409, 'revert_not_possible')
    }
  })

  test('an operator enters the password to start a revert', async () => {
    const platform = await hub.registerPushing()
    const scope = { platform: platform.platform_name, from: '2020-01-01', to: '2020-01-02' }
    const [from, to] = [`${scope.from}T00:00:00Z`, `${scope.to}T00:00:00Z`]
    const { id } = await plan(hub, { ...scope, from, to })
    const { email } = await hub.createOperator({ role: 'operator' })
    const session = await hub.signIn(email)
    const start = (password: string) =>
      hub.callAs(session, 'POST', `/api/v1/reverts/${id}/start`, { password })
    expectError(await start('wrong'), 403, 'password_wrong')
    assert.equal((await start(PASSWORD)).status, 202)
  })
})
