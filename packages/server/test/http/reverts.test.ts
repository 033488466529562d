/** Reverts and holds through the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse, type Revert, type RevertScope } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform } from '../helpers/hub/pulled-hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
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
  const { id } = await plan(hub, scope)
  await hub.call('POST /api/v1/reverts/:id/start', { params: { id }, body: null })
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
    await expectNoRejection(hub, platform.platform_name)
    const replay = await hub.replay(kept.id, {})
    assert.equal(replay.outcome, 'updated')
    assert.equal(only(await hub.records(platform.platform_name)).missing_since, null)
    const { holds } = await hub.call('GET /api/v1/holds', {
      query: { platform: platform.platform_name },
    })
    assert.deepEqual(holds, [])
  })

  test('one of several holds of a record is lifted by its path', async () => {
    const platform = await hub.registerPushing()
    await platform.post(newRecord('R-1', { data: { a: 1, b: 1 } }))
    const { record_id, change_seq } = only(await hub.records(platform.platform_name))
    await platform.post(newRecord('R-1', { data: { a: 2, b: 2 } }))
    const { id } = await revert(hub, { record_id, version: change_seq })
    const lift = (query: string) =>
      hub.callAs('operator', 'DELETE', `/api/v1/records/${record_id}/holds?${query}`)
    expectError(await lift(`revert_id=${id}`), 400, 'invalid_request')
    expectError(await lift(`revert_id=${id}&path=/data/c`), 404, 'not_found')
    expectBody(await lift(`revert_id=${id}&path=/data/a`), 200, HoldsLifted)
    const { holds } = await hub.call('GET /api/v1/holds', { query: { record_id } })
    assert.deepEqual(only(holds).paths, ['/data/b'])
    const { entries } = await hub.call('GET /api/v1/audit', { query: { action: 'holds.lift' } })
    assert.deepEqual(entries[0]?.details, { revert_id: id, path: '/data/a' })
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
    expectError(await send({ scope: { pull_id: 999_999 }, reason }), 404, 'not_found')
    const { id } = await plan(hub, scope)
    await hub.call('POST /api/v1/reverts/:id/cancel', { params: { id } })
    assert.equal((await read(hub, id)).state, 'cancelled')
    for (const action of ['start', 'cancel']) {
      const response = await hub.callAs('operator', 'POST', `/api/v1/reverts/${id}/${action}`)
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
