/** Rejected pushes: saved without keys, read, grouped and dismissed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import Type from 'typebox'
import { REMOVED_KEY } from '../../src/domain/platform/redact-keys.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { startPulledHub } from '../helpers/hub/pulled-hub.ts'
import {
  expectAbsent,
  expectBody,
  expectError,
  type TestResponse,
} from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

const Dismissed = Type.Object({ success: Type.Literal(true), dismissed: Type.Integer() })

describeHub('rejected pushes', (hub, engine) => {
  test('rejected pushes are grouped by cause, and a cause can be used as a filter', async () => {
    const platform = await hub.registerPushing()
    await hub.sendRejectedPush(platform, newRecord('R-1', { data: 1 }))
    await hub.sendRejectedPush(platform, newRecord('R-2', { data: 2 }))
    await hub.sendRejectedPush(platform, newRecord('R-3', { full_name: 3 }))
    const groups = await hub.rejectedGroups(platform.platform_name)
    assert.deepEqual(
      groups.map((group) => [group.code, group.record_type, group.rejected_pushes]).sort(),
      [
        ['invalid_record', 'cases', 1],
        ['invalid_record', 'cases', 2],
      ],
    )
    const two = groups.find((group) => group.rejected_pushes === 2)
    assert.ok(two)
    const response = await dismiss(hub, `?cause=${two.cause}&platform=${platform.platform_name}`)
    assert.equal(expectBody(response, 200, Dismissed).dismissed, 2)
    const left = await hub.rejectedGroups(platform.platform_name)
    assert.match(only(left).message, /full_name/)
  })

  test('a dismissed push is deleted, and the audit log records who dismissed it', async () => {
    const platform = await hub.registerPushing()
    const { id } = await hub.sendRejectedPush(platform, newRecord('R-1', { data: 1 }))
    assert.equal(expectBody(await dismiss(hub, `/${id}`), 200, Dismissed).dismissed, 1)
    expectError(await dismiss(hub, `/${id}`), 404, 'not_found')
    expectError(await hub.get(`/api/v1/rejected-pushes/${id}`), 404, 'not_found')
    expectError(await dismiss(hub, ''), 400, 'invalid_request')
    assert.deepEqual(await hub.rejected(platform.platform_name), [])
    const audit = await hub.sql(
      "SELECT actor, details FROM audit WHERE action = 'rejected_push.dismiss'",
    )
    const mine = audit.filter((entry) => entry['details'] === JSON.stringify({ id }))
    assert.equal(only(mine)['actor'], 'token 2 (test operator)')
    const kinds = (await hub.activity()).map((entry) => entry.kind)
    assert.ok(kinds.includes('rejected_push.dismissed'))
  })

  test('keys in a body are redacted, and a redacted body must be edited before a replay', async () => {
    const platform = await hub.registerPushing()
    const key = platform.hub_api_key
    const data = { note: `our key is ${key}`, 'X-API-KEY': 'some other key' }
    const { id, body } = await hub.sendRejectedPush(
      platform,
      newRecord('R-1', { full_name: 1, data }),
    )
    assert.deepEqual(body, {
      ...newRecord('R-1', { full_name: 1 }),
      data: { note: `our key is ${REMOVED_KEY}`, 'X-API-KEY': REMOVED_KEY },
    })
    const rows = await hub.sql(`SELECT * FROM rejected_pushes`)
    expectAbsent([key, 'some other key'], [JSON.stringify(rows), hub.log()])
    expectError(await hub.sendReplay(id, {}), 422, 'key_was_removed')
    await hub.replay(id, { body: newRecord('R-1') })
  })

  test('the source API key in a pulled record is redacted', async () => {
    await using kit = await startPulledHub(engine)
    const [module] = kit.platform.modules
    assert.ok(module)
    const { source_api_key } = kit.platform
    module.records = [{ reference_number: 'R-1', data: { sent: `with ${source_api_key}` } }]
    await kit.pull()
    const { body } = only(await kit.rejected())
    assert.deepEqual(body, {
      reference_number: 'R-1',
      data: { sent: `with ${REMOVED_KEY}` },
    })
  })
})

function dismiss(hub: TestHub, path: string): Promise<TestResponse> {
  return hub.callAs('operator', 'DELETE', `/api/v1/rejected-pushes${path}`)
}
