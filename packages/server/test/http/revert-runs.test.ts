/** Reverts that are started, cancelled, disturbed or expired through the API. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Revert, RevertScope } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectError } from '../helpers/hub/response.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { until } from '../helpers/time/until.ts'

const reason = 'a wrong file was imported'

/** Every step has one record; `before` runs in front of each step of a revert. */
const steps = { before: async () => undefined as unknown }
const clock = new TestClock()

describeHub(
  'runs of reverts',
  {
    clock,
    wrap: (storage) => ({
      ...storage,
      reverts: {
        ...storage.reverts,
        async listUndone(revertId, after) {
          await steps.before()
          return storage.reverts.listUndone(revertId, after, 1)
        },
      },
    }),
  },
  (hub) => {
    test('a revert that is cancelled in the middle says what it has done, and the rest is reverted or the whole undone later', async () => {
      const scene = await pushGoodAndBad(hub, 4)
      const { id } = await plan(hub, scene.scope)
      let calls = 0
      const reached = Promise.withResolvers<void>()
      const cancelled = Promise.withResolvers<void>()
      steps.before = async () => {
        calls += 1
        if (calls !== 3) return
        reached.resolve()
        await cancelled.promise
      }
      await start(hub, id)
      await reached.promise
      const answer = await hub.call('POST /api/v1/reverts/:id/cancel', { params: { id } })
      cancelled.resolve()
      assert.equal(answer.revert.state, 'cancelled')
      const expected = { reverted: 2, kept: 0, impossible: 0, held_now: 2, lifted: 0 }
      assert.deepEqual(
        [answer.revert.counts, answer.revert.progress],
        [expected, { records_total: 4, records_done: 2, percent: 50 }],
      )
      assert.deepEqual(await scene.values(), [1, 1, 2, 2])
      const listed = await hub.call('GET /api/v1/reverts/:id/records', {
        params: { id },
        query: { outcome: 'reverted' },
      })
      assert.deepEqual(
        listed.records.map((record) => [record.reference_number, record.done]),
        [
          ['R-1', true],
          ['R-2', true],
        ],
      )
      const again = await hub.callAs('reverts', 'POST', `/api/v1/reverts/${id}/start`)
      expectError(again, 409, 'revert_not_possible')

      const rest = await revert(hub, scene.scope)
      assert.deepEqual([rest.counts.reverted, rest.counts.kept], [2, 2])
      assert.deepEqual(await scene.values(), [1, 1, 1, 1])
      assert.deepEqual((await read(hub, id)).counts, expected)
      for (const revert_id of [rest.id, id]) {
        const undone = await revert(hub, { revert_id })
        assert.deepEqual([undone.counts.reverted, undone.counts.kept], [2, 0])
      }
      assert.deepEqual(await scene.values(), [2, 2, 2, 2])
      const { holds } = await hub.call('GET /api/v1/holds', {
        query: { platform: scene.platform.platform_name },
      })
      assert.deepEqual(holds, [])
    })

    test('only one revert runs at a time, and a plan is started once', async () => {
      const scene = await pushGoodAndBad(hub, 2)
      const [one, other] = [await plan(hub, scene.scope), await plan(hub, scene.scope)]
      const released = Promise.withResolvers<void>()
      steps.before = () => released.promise
      const url = (id: number) => `/api/v1/reverts/${id}/start`
      const twice = await Promise.all(
        [one.id, one.id].map((id) => hub.callAs('reverts', 'POST', url(id))),
      )
      assert.deepEqual(twice.map(({ status }) => status).sort(), [202, 409])
      const overlapping = await hub.callAs('reverts', 'POST', url(other.id))
      expectError(overlapping, 409, 'revert_already_running')
      released.resolve()
      assert.equal((await end(hub, one.id)).counts.reverted, 2)
      // What the first one has reverted has another value now.
      await start(hub, other.id)
      const { counts } = await end(hub, other.id)
      assert.deepEqual([counts.reverted, counts.kept, counts.held_now], [0, 2, 0])
      assert.deepEqual(await scene.values(), [1, 1])
    })

    test('a record that is erased or corrected between the plan and the start is not reverted', async () => {
      const scene = await pushGoodAndBad(hub, 3)
      const { id, counts } = await plan(hub, scene.scope)
      assert.equal(counts.reverted, 3)
      const [, second] = await hub.records(scene.platform.platform_name)
      await hub.call('POST /api/v1/records/:record_id/erase', {
        params: { record_id: second?.record_id ?? 0 },
        body: { mode: 'erase', reason: 'asked for' },
      })
      await scene.platform.post(newRecord('R-3', { data: { a: 3 } }))
      await start(hub, id)
      const done = await end(hub, id)
      const { reverted, kept, impossible, held_now } = done.counts
      assert.deepEqual([done.state, reverted, kept, impossible], ['succeeded', 1, 1, 0])
      assert.deepEqual([held_now, done.progress.records_total], [1, 2])
      assert.deepEqual(await scene.values(), [1, 3])
    })

    test('a plan is started with the right password and role only, and stays a plan otherwise', async () => {
      const scene = await pushGoodAndBad(hub, 1)
      const { id } = await plan(hub, scene.scope)
      const url = `/api/v1/reverts/${id}/start`
      const { email } = await hub.createOperator({ role: 'operator' })
      const session = await hub.signIn(email)
      for (const body of [{ password: 'wrong' }, { password: '' }]) {
        assert.ok((await hub.callAs(session, 'POST', url, body)).status >= 400)
      }
      expectError(await hub.callAs('viewer', 'POST', url), 403, 'forbidden')
      const body = { scope: scene.scope, reason }
      expectError(await hub.callAs('viewer', 'POST', '/api/v1/reverts', body), 403, 'forbidden')
      assert.equal((await read(hub, id)).state, 'planned')
      assert.deepEqual(await scene.values(), [2])
      assert.equal((await hub.callAs(session, 'POST', url, { password: PASSWORD })).status, 202)
      assert.equal((await end(hub, id)).started_by, email)
    })

    test('a period is in any time zone, may end in the future, and is never empty', async () => {
      const scene = await pushGoodAndBad(hub, 1)
      const { platform, from, to } = scene.scope
      const send = (body: object) =>
        hub.callAs('operator', 'POST', '/api/v1/reverts', { scope: body, reason })
      for (const period of [
        { from, to: from },
        { from: to, to: from },
        { from: 'yesterday', to },
        // RFC 3339 has a zone in every time.
        { from: from.replace('Z', ''), to },
      ]) {
        expectError(await send({ platform, ...period }), 400, 'invalid_request')
      }
      const zoned = new Date(Date.parse(from) + 7_200_000).toISOString()
      const inZone = zoned.replace('Z', '+02:00')
      const future = new Date(clock.now().getTime() + 86_400_000).toISOString()
      for (const [period, expected] of [
        [{ from: inZone, to: future }, 1],
        [{ from: future, to: '2999-01-01T00:00:00Z' }, 0],
      ] as const) {
        const { counts } = await plan(hub, { platform, ...period })
        assert.equal(counts.reverted, expected)
      }
    })

    test('a plan of more than a day ago is not started, with the reason', async () => {
      const scene = await pushGoodAndBad(hub, 1)
      const { id, expires_at } = await plan(hub, scene.scope)
      clock.advance(24 * 60 * 60 + 1)
      assert.ok(Date.parse(expires_at ?? '') <= clock.now().getTime())
      const response = await hub.callAs('reverts', 'POST', `/api/v1/reverts/${id}/start`)
      const { message } = expectError(response, 409, 'revert_not_possible')
      assert.match(message, /only a plan of the last 24 hours/)
      assert.deepEqual(await scene.values(), [2])
      while (await hub.storage.reverts.deleteOldPlans(clock.now().toISOString(), 100));
      const gone = await hub.callAs('reverts', 'POST', `/api/v1/reverts/${id}/start`)
      expectError(gone, 404, 'not_found')
    })
  },
)

/** A platform that has pushed a good value of each record, and after that a bad one. */
async function pushGoodAndBad(hub: TestHub, count: number) {
  steps.before = async () => undefined
  const platform = await hub.registerPushing()
  const push = async (a: number) => {
    for (let one = 1; one <= count; one += 1) {
      await platform.post(newRecord(`R-${one}`, { data: { a } }))
    }
  }
  await push(1)
  clock.advance(60)
  const from = clock.now().toISOString()
  await push(2)
  const to = new Date(clock.now().getTime() + 1).toISOString()
  clock.advance(60)
  const { platform_name } = platform
  return {
    platform,
    scope: { platform: platform_name, from, to },
    values: async () => (await hub.records(platform_name)).map(({ data }) => data['a']),
  }
}

async function plan(hub: TestHub, scope: RevertScope): Promise<Revert> {
  return (await hub.call('POST /api/v1/reverts', { body: { scope, reason } })).revert
}

async function start(hub: TestHub, id: number): Promise<void> {
  await hub.call('POST /api/v1/reverts/:id/start', {
    params: { id },
    body: null,
    as: 'reverts',
  })
}

async function read(hub: TestHub, id: number): Promise<Revert> {
  return (await hub.call('GET /api/v1/reverts/:id', { params: { id } })).revert
}

function end(hub: TestHub, id: number): Promise<Revert> {
  return until(async () => {
    const found = await read(hub, id)
    return found.finished_at === null ? null : found
  }, 'the revert has ended')
}

/** Plans and applies a revert. */
async function revert(hub: TestHub, scope: RevertScope): Promise<Revert> {
  const { id } = await plan(hub, scope)
  await start(hub, id)
  return end(hub, id)
}
