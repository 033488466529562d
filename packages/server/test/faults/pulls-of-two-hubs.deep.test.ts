import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { postgres } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'
import { until } from '../helpers/time/until.ts'

const PER_MODULE = 2000
const TYPES = ['person', 'visit']

test('another hub can start a pull once the lease of a killed hub has expired', async (t) => {
  const { sandbox, hub, operator, platform, queryDatabase } = await startHubAndPlatform(t)
  const { halfSent } = platform.pauseNextResponse()
  const { status, pull } = await operator.requestPull()
  assert.equal(status, 202)
  await halfSent
  const survivor = operator.at((await sandbox.startHub()).address)
  await until(
    async () => ((await survivor.records()).length > 0 ? true : null),
    'a part of the response is stored',
  )
  await hub.stop('SIGKILL')
  const rejected = await survivor.requestPull()
  assert.equal(rejected.status, 409, 'the lease of the killed hub has not expired')
  assert.equal(rejected.pull.id, pull.id)

  // Expires the lease without waiting 20 seconds.
  await queryDatabase("UPDATE pulls SET lease_until = '2000-01-01T00:00:00.000Z'")
  const stored = (await survivor.records()).length
  const next = await survivor.pullAll()
  assert.notEqual(next.pull.id, pull.id)
  assert.equal(next.pull.state, 'succeeded')
  assert.equal(next.pull.counts.created, TYPES.length * PER_MODULE - stored)
  assert.equal(next.pull.counts.unchanged, stored)
  const interrupted = await survivor.readPull(pull.id)
  assert.equal(interrupted.pull.state, 'interrupted')
  assert.notEqual(interrupted.pull.finished_at, null)
  assert.ok(
    interrupted.tasks.every((task) => task.state === 'interrupted' && task.finished_at !== null),
  )

  const restarted = survivor.at((await sandbox.startHub()).address)
  assert.equal((await restarted.pullAll()).pull.counts.unchanged, TYPES.length * PER_MODULE)
  assert.deepEqual(await restarted.readPull(pull.id), interrupted, 'the pull does not resume')
  const [first = ''] = platform.requestedTypes
  assert.deepEqual(platform.requestedTypes.toSorted(), [first, ...TYPES, ...TYPES].toSorted())
})

test('a starting hub does not interrupt the pull of another hub, and only one pull runs at a time', async (t) => {
  const { sandbox, operator: first, platform } = await startHubAndPlatform(t)
  const heldResponse = platform.pauseNextResponse()
  const { pull } = await first.requestPull()
  await heldResponse.halfSent
  const second = first.at((await sandbox.startHub()).address)
  assert.equal((await second.requestPull()).status, 409)
  heldResponse.release()
  assert.equal((await second.untilPullEnds(pull.id)).pull.state, 'succeeded')
  assert.equal((await second.records()).length, TYPES.length * PER_MODULE)

  for (let round = 1; round <= rounds(2, 6); round += 1) {
    const { halfSent, release } = platform.pauseNextResponse()
    const responses = await Promise.all(
      [first, second, first, second].map((one) => one.requestPull()),
    )
    assert.deepEqual(responses.map(({ status }) => status).toSorted(), [202, 409, 409, 409])
    assert.equal(new Set(responses.map(({ pull }) => pull.id)).size, 1, 'there is one pull')
    await halfSent
    release()
    const id = responses[0]?.pull.id ?? 0
    assert.equal((await first.untilPullEnds(id)).pull.state, 'succeeded')
    assert.deepEqual(await second.readPull(id), await first.readPull(id))
    const requested = (round + 1) * TYPES.length
    assert.equal(platform.requestedTypes.length, requested, 'each module is read once in each pull')
  }
})

async function startHubAndPlatform(t: TestContext) {
  const { sandbox, queryDatabase } = await postgres.createSandbox(t)
  const hub = await sandbox.startHub()
  const operator = await signIn(hub.address)
  const modules = TYPES.map((type) => generateModule(type, PER_MODULE))
  const platform = await startPlatform(t, { name: 'archive', modules })
  await operator.registerModules(platform)
  return { sandbox, hub, operator, platform, queryDatabase }
}
