/** Editing and replaying rejected pushes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RejectedPush, ReplayResponse, type ReplayStepResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { createWriteOutage } from '../helpers/hub/hold-writes.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import {
  NONE,
  pushToUnregistered,
  referenceOf,
  registerModule,
  replayableOf,
  replaySteps,
} from '../helpers/hub/rejected.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

describeHub('replaying rejected pushes', (hub) => {
  test('an edited push is replayed once, and a dry run before it stores nothing', async () => {
    const platform = await hub.registerPushing()
    const { id } = await hub.sendRejectedPush(platform, newRecord('R-1', { data: 'none' }))
    const body = newRecord('R-1', { data: { price: 1 } })
    const before = await hub.countStoredRows()
    const dry = await hub.replay(id, { body, dry_run: true })
    assert.deepEqual(dry, { ...accepted(id), outcome: 'created', record_id: null })
    const unedited = await hub.replay(id, { dry_run: true })
    assert.deepEqual([unedited.outcome, unedited.code], ['rejected', 'invalid_record'])
    assert.deepEqual(unedited.errors, { data: ['must be an object'] })
    assert.deepEqual(await hub.countStoredRows(), before)

    expectError(await hub.sendReplay(id, {}), 422, 'invalid_record')
    const replay = await hub.replay(id, { body })
    const record = only(await hub.records(platform.platform_name))
    assert.deepEqual(replay, {
      ...accepted(id),
      outcome: 'created',
      record_id: record.record_id,
    })
    assert.deepEqual(record.data, { price: 1 })
    expectError(await hub.sendReplay(id, { body }), 409, 'already_replayed')
    const { replayed_at, ...read } = await readOne(hub, id)
    assert.ok(replayed_at)
    assert.deepEqual(
      [read.replayed_by, read.replay_outcome, read.record_id],
      ['token 2 (test operator)', 'created', record.record_id],
    )
    assert.deepEqual(read.body, newRecord('R-1', { data: 'none' }))
  })

  test('a replay request without a body replays the stored push', async () => {
    const { platform, rejected } = await pushToUnregistered(hub, ['R-1', 'R-2'])
    await registerModule(hub, platform)
    const [last, first] = rejected
    assert.ok(first && last)
    assert.equal((await hub.replay(first.id, {})).outcome, 'created')
    assert.equal((await hub.replay(last.id, undefined)).outcome, 'created')
  })

  test('a dry run returns no record_id for a record that does not exist yet', async () => {
    const { platform, name } = await pushToUnregistered(hub, ['R-1'])
    for (const status of ['second', 'third']) {
      const body = newRecord('R-1', { record_type: 'late', data: { status } })
      await hub.push(platform.hub_api_key, body)
    }
    await registerModule(hub, platform)
    const filter = { platform: name, record_type: 'late' }
    const [dry] = await replaySteps(hub, { ...filter, dry_run: true })
    const [done] = await replaySteps(hub, { ...filter, dry_run: false })
    const { record_id } = only(await hub.records(name))
    assert.deepEqual(dry?.counts, { ...NONE, created: 1, updated: 2 })
    assert.deepEqual(idsOf(dry), [null, null, null])
    assert.deepEqual(idsOf(done), [record_id, record_id, record_id])
  })

  test('a push edited to name another module is validated by the rules of that module', async () => {
    const { platform, name, rejected } = await pushToUnregistered(hub, ['R-1'])
    const { id } = only(rejected)
    const policy = await hub.callAs(
      'operator',
      'PATCH',
      `/api/v1/platforms/${platform.id}/modules/cases`,
      { drift_policy: 'reject' },
    )
    assert.equal(policy.status, 200)
    const drifted = newRecord('R-1', { data: { drifted: 1 } })
    expectError(await hub.sendReplay(id, { body: drifted }), 422, 'drift_rejected')
    assert.deepEqual(await hub.records(name), [])
    const unregistered = newRecord('R-1', { record_type: 'nothing' })
    expectError(await hub.sendReplay(id, { body: unregistered }), 422, 'module_not_registered')
    const body = newRecord('R-1', { data: { status: 'open' } })
    assert.equal((await hub.replay(id, { body })).outcome, 'created')
  })

  test('numbers retain all their digits when a push is edited and replayed', async () => {
    const platform = await hub.registerPushing()
    const { id } = await hub.sendRejectedPush(platform, newRecord('R-1', { full_name: 1 }))
    const record = JSON.stringify(newRecord('R-1', { data: { n: 'N' } }))
    const body = record.replace('"N"', '12345678901234567890.10')
    expectBody(await hub.sendReplay(id, `{"body":${body}}`), 200, ReplayResponse)
    const response = await hub.get(`/api/v1/records?platform=${platform.platform_name}`)
    assert.ok(response.text.includes('"n":12345678901234567890.10'), response.text)
  })

  test('a replay is stale after a later push unless it overwrites, and the history names the replay', async () => {
    const platform = await hub.registerPushing()
    const { id } = await hub.sendRejectedPush(platform, newRecord('R-1', { full_name: 1 }))
    await hub.push(platform.hub_api_key, newRecord('R-1', { data: { status: 'later' } }))
    const body = newRecord('R-1', { data: { status: 'earlier' } })
    assert.equal((await hub.replay(id, { body })).outcome, 'stale')
    const { record_id, data } = only(await hub.records(platform.platform_name))
    assert.deepEqual(data, { status: 'later' })
    expectError(await hub.sendReplay(id, { body }), 409, 'already_replayed')
    assert.equal((await hub.replay(id, { body, overwrite: true })).outcome, 'updated')
    const entry = only(await hub.history(record_id))
    assert.equal(entry.source, 'replay')
    assert.deepEqual(entry.changes, [{ path: '/data/status', before: 'later', after: 'earlier' }])
  })

  test('a replay to an inactive platform or an unregistered module is rejected', async () => {
    const { platform, rejected } = await pushToUnregistered(hub, ['R-1'])
    const id = only(rejected).id
    expectError(await hub.sendReplay(id, {}), 422, 'module_not_registered')
    await registerModule(hub, platform)
    await hub.setStatus(platform.id, 'inactive')
    expectError(await hub.sendReplay(id, {}), 409, 'platform_inactive')
    expectError(await hub.sendReplay(999_999, {}), 404, 'not_found')
    const unknown = await hub.sendReplay(id, { unknown: 1 })
    assert.deepEqual(expectError(unknown, 400, 'invalid_request').errors, {
      unknown: ['is not a known member'],
    })

    for (const wrong of [{ unknown: 1 }, { dry_run: 'yes' }, [], 'no JSON']) {
      expectError(
        await hub.sendReplay(id, wrong),
        400,
        wrong === 'no JSON' ? 'invalid_json' : 'invalid_request',
      )
    }
  })

  test('pushes rejected again in a replay by filter remain open with their errors', async () => {
    const platform = await hub.registerPushing()
    await hub.sendRejectedPush(platform, newRecord('R-1', { data: 1 }))
    await hub.sendRejectedPush(platform, newRecord('R-2', { data: 2 }))
    const filter = { platform: platform.platform_name, dry_run: false }
    const [step] = await replaySteps(hub, filter)
    assert.deepEqual(step?.counts, { ...NONE, rejected: 2 })
    assert.deepEqual(step.replays[0]?.errors, { data: ['must be an object'] })
    const [group] = await hub.rejectedGroups(platform.platform_name)
    assert.equal(group?.rejected_pushes, 2)
    for (const wrong of [{}, { dry_run: 1 }, { dry_run: true, cursor: 'x' }]) {
      expectError(await hub.sendRejectedPushRequest('/replay', wrong), 400, 'invalid_request')
    }
  })
})

describeHub('replays by filter', (hub) => {
  test('pushes rejected for an unregistered module are replayed in steps once it is registered', async () => {
    const references = Array.from({ length: 230 }, (_, n) => `R-${n}`)
    const { platform, name } = await pushToUnregistered(hub, references)
    // The latest push of a record that was rejected twice.
    const again = newRecord('R-0', { record_type: 'late', data: { status: 'last' } })
    await hub.push(platform.hub_api_key, again)
    await registerModule(hub, platform)
    assert.equal(await replayableOf(hub, platform.id), 231)

    const filter = { platform: name, record_type: 'late' }
    const before = await hub.countStoredRows()
    const dry = await replaySteps(hub, { ...filter, dry_run: true })
    assert.deepEqual(await hub.countStoredRows(), before)
    assert.deepEqual(
      dry.map((step) => [step.replays.length, step.remaining]),
      [
        [200, 31],
        [31, 0],
      ],
    )
    const steps = await replaySteps(hub, { ...filter, dry_run: false })
    assert.deepEqual(
      steps.map((step) => step.counts),
      [
        { ...NONE, created: 200 },
        { ...NONE, created: 30, updated: 1 },
      ],
    )
    const records = await hub.records(name)
    assert.deepEqual(records.map(referenceOf), references)
    assert.deepEqual(records[0]?.data, { status: 'last' })
    assert.equal(await replayableOf(hub, platform.id), 0)
    const [nothing] = await replaySteps(hub, { ...filter, dry_run: false })
    assert.deepEqual(nothing?.counts, NONE)
    assert.deepEqual(await hub.rejectedGroups(name), [])
    const query = { platform: name, state: 'open' } as const
    assert.deepEqual((await hub.call('GET /api/v1/rejected-pushes', { query })).rejected_pushes, [])
  })
})

const outage = createWriteOutage()

describeHub('replays while the storage is unavailable', { wrap: outage.wrap }, (hub) => {
  test('a step of a replay that fails replays nothing, and can be repeated', async () => {
    const { platform, name } = await pushToUnregistered(hub, ['R-1', 'R-2'])
    await registerModule(hub, platform)
    const request = { platform: name, dry_run: false }
    outage.begin()
    expectError(await hub.sendRejectedPushRequest('/replay', request), 503, 'storage_unavailable')
    outage.end()
    assert.deepEqual(await hub.records(name), [])
    assert.equal(await replayableOf(hub, platform.id), 2)
    const [step] = await replaySteps(hub, request)
    assert.deepEqual(step?.counts, { ...NONE, created: 2 })
  })
})

function accepted(id: number) {
  return { id, code: null, message: 'It is a new record.', errors: {} }
}

function idsOf(step: ReplayStepResponse | undefined): (number | null)[] | undefined {
  return step?.replays.map((replay) => replay.record_id)
}

async function readOne(hub: TestHub, id: number): Promise<RejectedPush> {
  return (await hub.call('GET /api/v1/rejected-pushes/:id', { params: { id } })).rejected_push
}
