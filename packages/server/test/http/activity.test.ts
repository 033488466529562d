/** Reading the activity: filters and pagination. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ActivityPage } from '@recordhub/protocol'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody } from '../helpers/hub/response.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'

describeOnEngines('the activity', (engine) => {
  test('the list filters by platform, level, kind, record, search text and time', async () => {
    const clock = createStoppedClock()
    await using hub = await startTestHub(engine, { clock })
    const school = await hub.registerPushing()
    const clinic = await hub.registerPushing()
    clock.advance(60)
    await pushTo(hub, school, 'R-1')
    await pushTo(hub, school, 'R-2')
    const between = clock.text
    clock.advance(60)
    await pushTo(hub, clinic, 'R-1')
    await pushTo(hub, clinic, 'X-1', { record_type: 'ghosts' })
    const { platform_name } = clinic
    const [{ record_id } = { record_id: null }] = (await list(hub, { kind: 'push.created' }))
      .activity
    const found = async (query: Record<string, string>) =>
      (await list(hub, query)).activity.map((entry) => entry.kind)

    assert.deepEqual(await found({ platform: platform_name, kind: 'push' }), [
      'push.rejected',
      'push.created',
    ])
    assert.deepEqual(await found({ level: 'warning' }), ['push.rejected'])
    assert.deepEqual(await found({ record: `${record_id}` }), ['push.created'])
    assert.deepEqual(await found({ q: ' r-1  NEW ' }), ['push.created', 'push.created'])
    assert.deepEqual(await found({ q: 'r-1', until: between }), ['push.created'])
    assert.equal((await found({ kind: 'push', since: between, until: between })).length, 2)
    const inOneHour = new Date(Date.parse(between) + 3_600_000).toISOString().slice(0, 23)
    assert.equal((await found({ until: `${inOneHour}+01:00`, kind: 'push' })).length, 2)
    assert.deepEqual(await found({ q: 'in no entry' }), [])
  })
})

async function list(hub: TestHub, query: Record<string, string>) {
  const response = await hub.get(`/api/v1/activity?${new URLSearchParams(query)}`)
  return expectBody(response, 200, ActivityPage)
}

function pushTo(
  hub: TestHub,
  platform: RegisteredPlatform,
  reference: string,
  overrides: Record<string, unknown> = {},
) {
  return hub.push(platform.hub_api_key, newRecord(reference, overrides))
}
