/** What is told of records that a pull met and rejected: their reasons, and where they are kept. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { RejectedPush } from '@recordhub/protocol'
import Type from 'typebox'
import { activityOf, push } from '../helpers/http-actions.ts'
import { expectAnswer, expectError } from '../helpers/http-answer.ts'
import type { TestHub } from '../helpers/http-hub.ts'
import { simulatedRecord } from '../helpers/http-platform.ts'
import { startPulledHub } from '../helpers/http-pulled-hub.ts'
import type { StorageEngine } from '../helpers/storage-engine.ts'

const Page = Type.Object({ rejected_pushes: Type.Array(RejectedPush) })

const unnamed = { full_name: 'No reference', data: {} }
const listed = { ...simulatedRecord(2), data: [1] }
const also = { ...simulatedRecord(3), data: 'text' }

async function rejectedBy(hub: TestHub, pullId: number, more = ''): Promise<unknown[]> {
  const answer = await hub.get(`/api/v1/rejected-pushes?pull=${pullId}${more}`)
  return expectAnswer(answer, 200, Page).rejected_pushes.map((one) => one.body)
}

export function describePullRejections(engine: StorageEngine): void {
  describe(`the records that a pull rejects, on ${engine.name}`, () => {
    test('the task and the activity tell each reason with its count', async () => {
      await using kit = await startPulledHub(engine)
      kit.platform.modules[0]?.records.push(listed, unnamed, simulatedRecord(1), also)
      const told = [
        '2 rejected: The record was not accepted: data must be an object.',
        '1 rejected: The record was not accepted: reference_number is required.',
      ]
      const task = await kit.pull()
      assert.deepEqual([task.rejected, task.warnings], [3, told])
      const lines = await activityOf(kit.hub)
      const line = lines.find(({ kind }) => kind === 'pull_task.succeeded')
      assert.ok(line?.message.endsWith(`: 1 new, 3 rejected. ${told.join(' ')}`), line?.message)
    })

    test('another reason is told though as many are rejected', async () => {
      await using kit = await startPulledHub(engine)
      const module = kit.platform.modules[0]
      assert.ok(module)
      const warnings = async () =>
        (await activityOf(kit.hub)).filter(({ level }) => level === 'warning').length
      module.records = [unnamed]
      await kit.pull()
      await kit.pull()
      assert.equal(await warnings(), 1)
      module.records = [listed]
      await kit.pull()
      assert.equal(await warnings(), 2)
    })

    test('of very many it is told that the first hundred are kept', async () => {
      await using kit = await startPulledHub(engine)
      const many = Array.from({ length: 150 }, (_, number) => ({ ...unnamed, number }))
      kit.platform.modules[0]?.records.push(...many)
      const task = await kit.pull()
      assert.deepEqual(task.warnings.slice(1), ['Of the 150 rejected the first 100 are kept.'])
      const url = `/api/v1/rejected-pushes?limit=500&pull=${task.pull.id}`
      const kept = expectAnswer(await kit.hub.get(url), 200, Page).rejected_pushes
      assert.equal(kept.length, 100)
    })

    test('they are listed by the newest pull that met them', async () => {
      await using kit = await startPulledHub(engine)
      const module = kit.platform.modules[0]
      assert.ok(module)
      module.records = [unnamed, listed]
      const { pull: first } = await kit.pull()
      await push(kit.hub, kit.registered.hub_api_key, { record_type: 'nonsense' })
      assert.deepEqual((await rejectedBy(kit.hub, first.id)).length, 2)
      module.records = [listed]
      const { pull: second } = await kit.pull()
      assert.deepEqual(await rejectedBy(kit.hub, second.id), [listed])
      assert.deepEqual(await rejectedBy(kit.hub, first.id), [unnamed])
      const { platform_name } = kit.platform
      assert.deepEqual(await rejectedBy(kit.hub, first.id, `&platform=${platform_name}`), [unnamed])
      assert.deepEqual(await rejectedBy(kit.hub, first.id, '&platform=other'), [])
      assert.deepEqual(await rejectedBy(kit.hub, second.id + 1), [])
      for (const wrong of ['0', '-1', 'x', '1.5']) {
        const answer = await kit.hub.get(`/api/v1/rejected-pushes?pull=${wrong}`)
        expectError(answer, 400, 'invalid_request')
      }
    })
  })
}
