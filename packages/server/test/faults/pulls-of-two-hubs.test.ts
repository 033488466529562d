import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { postgres } from '../helpers/process/engine.ts'
import {
  eventually,
  listRecords,
  type Operator,
  pullAndWait,
  readPull,
  registerPlatform,
  requestPull,
  signIn,
} from '../helpers/process/operator.ts'
import { makeUpModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST } from '../helpers/process/sandbox.ts'
import { rounds } from '../helpers/time/tier.ts'

const PER_MODULE = 2000
const TYPES = ['person', 'visit']

test(
  'another hub can start a pull once the lease of a killed hub has expired',
  PROCESS_TEST,
  async (t) => {
    const { sandbox, hub, operator, platform, askDatabase } = await beginPulling(t)
    const { halfSent } = platform.holdNextResponse()
    const { status, pull } = await requestPull(operator)
    assert.equal(status, 202)
    await halfSent
    const survivor = operator.at((await sandbox.startHub()).address)
    await eventually('a part of the answer is stored', async () =>
      (await listRecords(survivor)).length > 0 ? true : null,
    )
    await hub.stop('SIGKILL')
    const refused = await requestPull(survivor)
    assert.equal(refused.status, 409, 'nobody can tell yet that it is dead')
    assert.equal(refused.pull.id, pull.id)

    // Expires the lease without waiting 20 seconds.
    await askDatabase("UPDATE pulls SET lease_until = '2000-01-01T00:00:00.000Z'")
    const kept = (await listRecords(survivor)).length
    const next = await pullAndWait(survivor)
    assert.notEqual(next.pull.id, pull.id)
    assert.equal(next.pull.state, 'succeeded')
    assert.equal(next.pull.counts.created, TYPES.length * PER_MODULE - kept)
    assert.equal(next.pull.counts.unchanged, kept)
    const left = await readPull(survivor, pull.id)
    assert.equal(left.pull.state, 'interrupted')
    assert.notEqual(left.pull.finished_at, null)
    assert.ok(left.tasks.every((task) => task.state === 'interrupted' && task.finished_at !== null))

    const again = survivor.at((await sandbox.startHub()).address)
    assert.equal((await pullAndWait(again)).pull.counts.unchanged, TYPES.length * PER_MODULE)
    assert.deepEqual(await readPull(again, pull.id), left, 'it is not run again')
    const [first = ''] = platform.asked
    assert.deepEqual(platform.asked.toSorted(), [first, ...TYPES, ...TYPES].toSorted())
  },
)

test(
  'a starting hub does not interrupt the pull of another hub, and only one pull runs at a time',
  PROCESS_TEST,
  async (t) => {
    const { sandbox, operator: first, platform } = await beginPulling(t)
    const begun = platform.holdNextResponse()
    const { pull } = await requestPull(first)
    await begun.halfSent
    const second = first.at((await sandbox.startHub()).address)
    assert.equal((await requestPull(second)).status, 409)
    begun.release()
    assert.equal((await untilItEnds(second, pull.id)).state, 'succeeded')
    assert.equal((await listRecords(second)).length, TYPES.length * PER_MODULE)

    for (let round = 1; round <= rounds(2, 6); round += 1) {
      const { halfSent, release } = platform.holdNextResponse()
      const answers = await Promise.all([first, second, first, second].map(requestPull))
      assert.deepEqual(answers.map(({ status }) => status).toSorted(), [202, 409, 409, 409])
      assert.equal(new Set(answers.map(({ pull }) => pull.id)).size, 1, 'it is the same pull')
      await halfSent
      release()
      const id = answers[0]?.pull.id ?? 0
      assert.equal((await untilItEnds(first, id)).state, 'succeeded')
      assert.deepEqual(await readPull(second, id), await readPull(first, id))
      const asked = (round + 1) * TYPES.length
      assert.equal(platform.asked.length, asked, 'each module is read once in each pull')
    }
  },
)

async function beginPulling(t: TestContext) {
  const { sandbox, askDatabase } = await postgres.createSandbox(t)
  const hub = await sandbox.startHub()
  const operator = await signIn(hub.address)
  const modules = TYPES.map((type) => makeUpModule(type, PER_MODULE))
  const platform = await startPlatform(t, { name: 'archive', modules })
  await registerPlatform(operator, platform)
  return { sandbox, hub, operator, platform, askDatabase }
}

function untilItEnds(operator: Operator, id: number) {
  return eventually('the pull ends', async () => {
    const { pull } = await readPull(operator, id)
    return pull.finished_at === null ? null : pull
  })
}
