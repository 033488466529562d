/** Replays of many rejected pushes that fail between two steps. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ReplayStepResponse } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { createWriteOutage } from '../helpers/hub/hold-writes.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import {
  NONE,
  pushToUnregistered,
  referenceOf,
  registerModule,
  replayableOf,
  replaySteps,
} from '../helpers/hub/rejected.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'

describeOnEngines('a replay by filter that fails', { engines: 'both' }, (engine) => {
  test('a replay by filter that fails between two steps can be continued', async () => {
    const outage = createWriteOutage()
    await using down = await startTestHub(engine, { wrap: outage.wrap })
    const references = Array.from({ length: 210 }, (_, n) => `R-${n}`)
    const { platform, name } = await pushToUnregistered(down, references)
    await registerModule(down, platform)
    const request = { platform: name, dry_run: false }
    const first = expectBody(
      await down.sendRejectedPushRequest('/replay', request),
      200,
      ReplayStepResponse,
    )
    outage.begin()
    const next = { ...request, cursor: first.next_cursor }
    expectError(await down.sendRejectedPushRequest('/replay', next), 503, 'storage_unavailable')
    outage.end()
    assert.equal((await down.records(name)).length, 200)
    assert.equal(await replayableOf(down, platform.id), 10)
    const [rest] = await replaySteps(down, request)
    assert.deepEqual(rest?.counts, { ...NONE, created: 10 })
    assert.deepEqual((await down.records(name)).map(referenceOf), references)
  })
})
