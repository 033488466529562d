/** Missing records of a paged module, whose pages shift while they are read. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { addPlatformWithRecords, missingReferences } from '../helpers/hub/missing.ts'
import { type Responder, respond } from '../helpers/platform/platform.ts'

async function addPagedModule(hub: TestHub) {
  const kit = await addPlatformWithRecords(hub, 20)
  return {
    ...kit,
    /** Pulls two pages without these records. @returns the references that are marked missing afterwards. */
    async pullWithout(...absent: number[]): Promise<string[]> {
      const listed = kit.records.filter((_, number) => !absent.includes(number))
      kit.platform.setResponse('records/cases', respond.pages(listed.slice(0, 9), listed.slice(9)))
      const { pull } = await kit.hub.pullAll()
      assert.equal(pull.state, 'succeeded')
      return missingReferences(await kit.readRecords())
    },
    /** Pulls with this behaviour for the second page. @returns the references that are marked missing afterwards. */
    async pullWithSecond(behaviour: Responder): Promise<string[]> {
      const first = respond.pages(kit.records.slice(0, 9), [])
      kit.platform.queueResponses('records/cases', first, behaviour)
      const { pull } = await kit.hub.pullAll()
      assert.equal(pull.state, 'failed')
      return missingReferences(await kit.readRecords())
    },
  }
}

describeHub('missing records of a paged module', (hub) => {
  for (const [failure, second] of [
    ['fails', respond.status(500)],
    ['is cut off', respond.truncated('{"records":[')],
  ] as const) {
    test(`a second page that ${failure} marks nothing and interrupts the two reads in a row`, async () => {
      await using kit = await addPagedModule(hub)
      assert.deepEqual(await kit.pullWithSecond(second), [])
      assert.deepEqual(await kit.pullWithSecond(second), [])
      assert.deepEqual(await kit.pullWithout(3), [])
      assert.deepEqual(await kit.pullWithSecond(second), [])
      assert.deepEqual(await kit.pullWithout(3), [])
      assert.deepEqual(await kit.pullWithout(3), ['R-3'])
    })
  }
})
