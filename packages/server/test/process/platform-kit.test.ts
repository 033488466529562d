import assert from 'node:assert/strict'
import { draftChanges } from '../../../platform-kit/src/push.ts'
import { createPusher } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'

test('the kit and the hub have the same limit for nested data', async (t, { startHub }) => {
  const hub = await startHub()
  const { hubApiKey } = await registerPusher(t, hub)
  const pusher = createPusher({ address: hub.address, hubApiKey })
  t.after(() => pusher.close())
  const recordRef = { record_type: 'case', reference_number: 'deep' }
  const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) })
  const push = async (levels: number) => {
    const data = { ...nested(levels) }
    const result = await pusher.push({ method: 'PATCH', ...recordRef, data })
    return result.kind === 'response' ? result.status : result.kind
  }
  assert.ok(draftChanges(recordRef, { data: nested(63) }))
  assert.equal(await push(63), 201)
  assert.throws(() => draftChanges(recordRef, { data: nested(64) }), /too deep/)
  assert.equal(await push(64), 400)
})
