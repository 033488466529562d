/** Records that a platform no longer lists. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { createPullTimeLimit } from '../helpers/hub/hub.ts'
import {
  addPlatformWithRecords,
  missingReferences,
  startHubWithRecords,
} from '../helpers/hub/missing.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

describeHub('records that a platform no longer lists', (hub, engine) => {
  test('missing records are marked, logged and counted, and stay readable', async () => {
    await using kit = await addPlatformWithRecords(hub, 20)
    const before = await kit.readRecords()
    kit.setRecords(kit.records.slice(3))
    const { pull, tasks } = await kit.hub.pullAll()
    assert.equal(pull.state, 'succeeded')
    assert.deepEqual([pull.counts.missing, only(tasks).missing], [3, 3])
    const after = await kit.readRecords()
    assert.deepEqual(missingReferences(after), ['R-0', 'R-1', 'R-2'])
    const [marked, previous] = [after[0], before[0]]
    assert.ok(marked && previous)
    const { missing_since, updated_at } = marked
    const missing_reason = 'absent'
    assert.deepEqual(marked, { ...previous, missing_since, missing_reason, updated_at })
    assert.ok(missing_since !== null && missing_since >= (pull.started_at ?? ''))
    assert.ok(updated_at > previous.updated_at)
    const { source, pull_id, changes } = only(await kit.hub.history(marked.record_id))
    assert.deepEqual([source, pull_id], ['pull', pull.id])
    assert.deepEqual(changes, [{ path: '/missing_since', before: null, after: missing_since }])
    assert.deepEqual(after.slice(3), before.slice(3))
    const entry = (await kit.hub.activity()).find((one) => one.kind === 'pull_task.succeeded')
    assert.match(entry?.message ?? '', /17 unchanged, 3 missing/)
  })

  const toBody = (records: unknown[], total: number | string) =>
    JSON.stringify({ success: true, total, records })
  const respondWith = (added: unknown[], total?: number | string) => {
    const records = Array.from({ length: 18 }, (_, number) => simulatedRecord(number))
    const all = [...records, ...added]
    return respond.text(toBody(all, total ?? all.length), 'application/json')
  }
  const incomplete: [string, ReturnType<typeof respond.status>][] = [
    ['announces more records than it has', respondWith([], 20)],
    ['announces fewer records than it has', respondWith([], 17)],
    ['announces more records, as a string', respondWith([], '20')],
    ['has an element without a reference number', respondWith([{ full_name: 'Who?', data: {} }])],
    ['has an element with a numeric reference number', respondWith([{ reference_number: 19 }])],
    ['has an element that is not an object', respondWith(['R-19'])],
    ['has success: null', respond.json({ success: null, total: 0, records: [] })],
    ['has no success', respond.json({ total: 0, records: [] })],
  ]
  for (const [defect, response] of incomplete) {
    test(`a response that ${defect} marks nothing`, async () => {
      await using kit = await addPlatformWithRecords(hub, 20)
      kit.platform.setResponse('records/cases', response)
      const { pull } = await kit.hub.pullAll()
      assert.equal(pull.counts.missing, 0)
      assert.deepEqual(missingReferences(await kit.readRecords()), [])
      assert.deepEqual(await kit.listReviews(), [])
    })
  }

  test('a rejected record is not missing, and the other records are still checked', async () => {
    await using kit = await addPlatformWithRecords(hub, 20)
    const bad = [
      { ...simulatedRecord(18), full_name: null },
      { ...simulatedRecord(17), data: [1] },
    ]
    kit.setRecords([...kit.records.slice(0, 17), ...bad])
    for (const expected of [1, 0]) {
      const { pull } = await kit.hub.pullAll()
      assert.deepEqual([pull.counts.rejected, pull.counts.missing], [2, expected])
      assert.deepEqual(missingReferences(await kit.readRecords()), ['R-19'])
    }
  })

  test('a duplicate reference number does not prevent marking missing records', async () => {
    await using kit = await addPlatformWithRecords(hub, 20)
    kit.setRecords([...kit.records.slice(2), simulatedRecord(5, { status: 'again' })])
    const { pull } = await kit.hub.pullAll()
    assert.deepEqual([pull.counts.rejected, pull.counts.missing], [1, 2])
  })

  test('a pull that times out marks nothing', async () => {
    const { reach, waitForLimit } = createPullTimeLimit()
    await using kit = await startHubWithRecords(engine, 20, {}, { waitForLimit })
    kit.setRecords([])
    const request = kit.platform.delayNextResponse('records/cases')
    const { id } = await kit.hub.startPull()
    await request.arrived
    reach()
    await kit.hub.untilPullEnds(id)
    request.release()
    const { pull } = await kit.hub.readPull(id)
    assert.deepEqual([pull.state, pull.counts.missing], ['timed_out', 0])
    assert.deepEqual(missingReferences(await kit.readRecords()), [])
    assert.deepEqual(await kit.listReviews(), [])
  })
})
