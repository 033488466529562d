/** Rejected records that an operator accepts as exceptions: known at the source, until it changes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CompletenessPage, RejectedPush } from '@recordhub/protocol'
import Type from 'typebox'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform, type PulledHub } from '../helpers/hub/pulled-hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

const RejectedPage = Type.Object({ rejected_pushes: Type.Array(RejectedPush) })
const RECORDS = [simulatedRecord(1), simulatedRecord(2)]
const COPIES = [simulatedRecord(1, { copy: 1 }), simulatedRecord(2, { copy: 2 })]
const PATH = '/api/v1/rejected-pushes/groups'

async function pullRecords({ platform, pull }: PulledHub, records: typeof RECORDS) {
  only(platform.modules).records = records
  const { state, warnings, pull: whole, ...task } = await pull()
  assert.deepEqual([state, whole.counts.accepted], ['succeeded', task.accepted])
  return { rejected: task.rejected, accepted: task.accepted, warnings: warnings.length }
}

async function completenessOf({ hub, platform }: PulledHub) {
  const response = await hub.get(`/api/v1/completeness?platform=${platform.platform_name}`)
  const module = only(expectBody(response, 200, CompletenessPage).modules)
  return { accepted: module.accepted, reasons: module.incomplete_reasons }
}

async function groupOf({ hub, platform }: PulledHub) {
  return only(await hub.rejectedGroups(platform.platform_name))
}

async function accept(kit: PulledHub) {
  const { platform_name: platform, cause, digest } = await groupOf(kit)
  const body = { platform, cause, digest }
  assert.equal((await kit.hub.callAs('operator', 'POST', `${PATH}/accept`, body)).status, 200)
  return body
}

describeHub('accepted exceptions', (hub) => {
  test('accepted records do not make a pull or a module incomplete, in any order', async () => {
    await using kit = await addPulledPlatform(hub)
    assert.deepEqual(await pullRecords(kit, [...RECORDS, ...COPIES]), {
      ...{ rejected: 2, accepted: 0, warnings: 1 },
    })
    const { platform_name } = kit.platform
    const { id } = kit.registered
    const healthOf = async () => (await hub.storage.platforms.readPlatform(id))?.health.state
    assert.equal(await healthOf(), 'needs_attention')
    const listed = async () => {
      const url = `/api/v1/rejected-pushes?platform=${platform_name}&state=open`
      const rows = expectBody(await hub.get(url), 200, RejectedPage).rejected_pushes
      return [rows.length, ...new Set(rows.map(({ accepted_by }) => accepted_by))]
    }
    assert.deepEqual(await listed(), [2, null])
    const { cause } = await accept(kit)
    assert.deepEqual(await listed(), [2, 'token 2 (test operator)'])
    assert.equal((await groupOf(kit)).accepted_by, 'token 2 (test operator)')
    const audit = only(
      await hub.sql(
        `SELECT actor, details FROM audit WHERE action = 'rejected_push.accepted' AND target = '${platform_name}'`,
      ),
    )
    assert.equal(audit['actor'], 'token 2 (test operator)')
    for (const copies of [COPIES, COPIES.toReversed()]) {
      assert.deepEqual(await pullRecords(kit, [...RECORDS, ...copies]), {
        ...{ rejected: 0, accepted: 2, warnings: 0 },
      })
      assert.deepEqual(await completenessOf(kit), { accepted: 2, reasons: [] })
      assert.equal(await healthOf(), 'healthy')
    }
    await hub.callAs('operator', 'POST', `${PATH}/reopen`, { platform: platform_name, cause })
    assert.equal((await groupOf(kit)).accepted_at, null)
    assert.deepEqual(await listed(), [2, null])
    assert.equal((await pullRecords(kit, [...RECORDS, ...COPIES])).rejected, 2)
  })

  test('a group opens again when it grows or its content changes', async () => {
    await using kit = await addPulledPlatform(hub)
    for (const [change, copies] of [
      ['grown', [...COPIES, simulatedRecord(1, { copy: 3 })]],
      ['changed', [COPIES[0] ?? simulatedRecord(1), simulatedRecord(2, { copy: 4 })]],
    ] as const) {
      await pullRecords(kit, [...RECORDS, ...COPIES])
      await accept(kit)
      const { rejected, accepted } = await pullRecords(kit, [...RECORDS, ...copies])
      assert.deepEqual([rejected, accepted], [copies.length, 0], change)
      assert.deepEqual(await completenessOf(kit), { accepted: 0, reasons: ['rejected'] })
      assert.equal((await groupOf(kit)).accepted_at, null)
      const again = await pullRecords(kit, [...RECORDS, ...COPIES])
      assert.equal(again.rejected, 2, 'the former acceptance has ended')
    }
  })

  test('an operator accepts only the records that he has seen', async () => {
    await using kit = await addPulledPlatform(hub)
    await pullRecords(kit, [...RECORDS, ...COPIES])
    const { platform_name: platform, cause, digest } = await groupOf(kit)
    await pullRecords(kit, [...RECORDS, ...COPIES, simulatedRecord(1, { copy: 3 })])
    const send = (body: object) => hub.callAs('operator', 'POST', `${PATH}/accept`, body)
    expectError(await send({ platform, cause, digest }), 409, 'rejections_changed')
    expectError(await send({ platform, cause: 'none', digest }), 404, 'not_found')
    assert.equal((await groupOf(kit)).accepted_at, null)
  })

  test('an accepted record without a reference number does not prevent the verification', async () => {
    await using kit = await addPulledPlatform(hub)
    const unnamed = { ...simulatedRecord(3), reference_number: '' }
    await pullRecords(kit, [...RECORDS, unnamed])
    await accept(kit)
    assert.equal((await pullRecords(kit, [...RECORDS, unnamed])).accepted, 1)
    assert.deepEqual(await completenessOf(kit), { accepted: 1, reasons: [] })
  })
})
