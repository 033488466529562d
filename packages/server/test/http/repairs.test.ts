/** The same change to all rejected pushes of a group. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type RepairChange, RepairPreview, RepairStep } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { NONE } from '../helpers/hub/rejected.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

describeHub('repairing rejected pushes', (hub) => {
  test('the pushes of a misspelt module are repaired as the preview says, with the module that the hub proposes', async () => {
    const platform = await hub.registerPushing()
    await platform.post(newRecord('R-0', { full_name: 'Stored' }))
    for (const reference of ['R-0', 'R-1', 'R-2']) {
      await platform.post({ ...newRecord(reference), record_type: 'casse' })
    }
    const group = only(await hub.rejectedGroups(platform.platform_name))
    const { proposal, cause } = group
    assert.deepEqual([proposal?.record_type, proposal?.reason], ['cases', 'spelling'])
    const changes: RepairChange[] = [
      { op: 'set', path: '/record_type', value: proposal?.record_type },
      { op: 'set', path: '/full_name', value: 'Repaired' },
    ]
    const repair = { platform: platform.platform_name, cause, changes }
    const before = await hub.countStoredRows()
    const previewed = await preview(hub, repair)
    assert.deepEqual(await hub.countStoredRows(), before)
    const { tested, total, complete, counts, examples, items } = previewed
    const [example] = examples
    assert.deepEqual({ tested, total, complete }, { tested: 3, total: 3, complete: true })
    assert.deepEqual(counts, { ...NONE, created: 2, updated: 1 })
    assert.equal(examples.length, 3)
    assert.deepEqual(example?.before, { ...newRecord('R-0'), record_type: 'casse' })
    assert.deepEqual(example?.after, newRecord('R-0', { full_name: 'Repaired' }))
    const shown = items.map(({ reference_number, full_name, outcome, changed }) => [
      ...[reference_number, full_name, outcome, changed],
    ])
    assert.deepEqual(shown[2], ['R-2', 'Repaired', 'created', true])
    assert.deepEqual(
      items.map(({ changed_values }) => changed_values),
      [1, undefined, undefined],
    )

    // It arrives after the preview, so nobody has seen what it would do.
    await platform.post({ ...newRecord('R-3'), record_type: 'casse' })
    const other = { ...repair, changes: changes.slice(1) }
    expectError(await apply(hub, other, previewed.until), 400, 'invalid_request')
    const step = expectBody(await apply(hub, repair, previewed.until), 200, RepairStep)
    assert.deepEqual([step.totals, step.next_cursor, step.differences], [counts, null, []])
    const records = await hub.records(platform.platform_name)
    assert.deepEqual(records.map(({ full_name }) => full_name).toSorted(), [
      ...['Repaired', 'Repaired', 'Repaired'],
    ])
    const left = (await hub.rejected(platform.platform_name)).filter(
      ({ replayed_at }) => replayed_at === null,
    )
    assert.deepEqual(only(left).body, { ...newRecord('R-3'), record_type: 'casse' })
    const [entry] = await hub.sql(
      "SELECT details FROM audit WHERE action = 'rejected_push.repair' ORDER BY audit_id DESC LIMIT 1",
    )
    const audited = JSON.parse(String(entry?.['details'])).changes
    assert.deepEqual(audited, [changes[0], { op: 'set', path: '/full_name' }])
  })

  test('a repair tells how its outcome differs from the preview, and leaves what is still rejected', async () => {
    const platform = await hub.registerPushing()
    const bodies = ['none', '12'].map((data, n) => newRecord(`S-${n}`, { data }))
    for (const body of bodies) await platform.post(body)
    const { cause } = only(await hub.rejectedGroups(platform.platform_name))
    const asTheyAre = { platform: platform.platform_name, cause, changes: [] }
    const untouched = await preview(hub, asTheyAre)
    assert.deepEqual([untouched.counts.rejected, untouched.unchanged_bodies], [2, 2])
    const changes: RepairChange[] = [{ op: 'to_number', path: '/data' }]
    const useless = { ...asTheyAre, changes }
    const rejected = await preview(hub, useless)
    assert.deepEqual(rejected.counts, { ...NONE, rejected: 2 })
    assert.deepEqual(
      [rejected.unchanged_bodies, rejected.examples[0]?.after],
      [1, { ...bodies[1], data: 12 }],
    )
    const repair = { ...useless, changes: [{ op: 'set' as const, path: '/data', value: {} }] }
    const { until, counts } = await preview(hub, repair)
    assert.deepEqual(counts, { ...NONE, created: 2 })
    await platform.post(newRecord('S-1'))
    const step = expectBody(await apply(hub, repair, until), 200, RepairStep)
    assert.deepEqual(step.differences, [
      { outcome: 'created', previewed: 2, applied: 1 },
      { outcome: 'stale', previewed: 0, applied: 1 },
    ])
  })
})

type Repair = { platform: string; cause: string; changes: RepairChange[] }

async function preview(hub: TestHub, repair: Repair): Promise<RepairPreview> {
  const response = await hub.sendRejectedPushRequest('/repair/preview', repair)
  return expectBody(response, 200, RepairPreview)
}

const apply = (hub: TestHub, repair: Repair, until: string) =>
  hub.sendRejectedPushRequest('/repair', { ...repair, until })
