import assert from 'node:assert/strict'
import type { Pull } from '@recordhub/protocol'
import { postgres } from '../helpers/process/engine.ts'
import { type Operator, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { PROCESS_TEST, test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

/** Both pulls may take more than two minutes. The timeout only limits a failing test. */
const LIMIT = { timeout: 2 * PROCESS_TEST.timeout }

test(
  'two hubs with the same schedule run one pull per minute in total',
  async (t) => {
    const { sandbox } = await postgres.createSandbox(t)
    const unscheduled = await sandbox.startHub()
    const unscheduledOperator = await signIn(unscheduled.address)
    const platform = await startPlatform(t, {
      name: 'archive',
      modules: [generateModule('visit', 3)],
    })
    await unscheduledOperator.registerModules(platform)
    await unscheduled.stop()

    const startedAt = Date.now()
    const scheduled = { env: { HUB_PULL_SCHEDULE: '* * * * *' } }
    const hubs = [await sandbox.startHub(scheduled), await sandbox.startHub(scheduled)] as const
    const operator = unscheduledOperator.at(hubs[0].address)
    const other = operator.at(hubs[1].address)
    const pulls = await until(
      async () => {
        const listed = await listPulls(other)
        return listed.filter((pull) => pull.finished_at !== null).length >= 2 ? listed : null
      },
      'two pulls have ended',
      LIMIT.timeout,
    )
    assert.ok(pulls.every(({ trigger, state }) => trigger === 'schedule' && state === 'succeeded'))
    const requested = pulls.map((pull) => Date.parse(pull.requested_at))
    const minutes = minuteOf(Math.max(...requested)) - minuteOf(startedAt) + 1
    assert.ok(
      pulls.length <= minutes,
      `at most one pull per minute: ${requested} since ${startedAt}`,
    )
    assert.deepEqual(await listPulls(operator), pulls, 'both hubs return the same pulls')
    assert.equal(platform.requestedTypes.length, pulls.length)
  },
  LIMIT,
)

const minuteOf = (time: number) => Math.floor(time / 60_000)

async function listPulls(operator: Operator): Promise<Pull[]> {
  const { pulls }: { pulls: Pull[] } = JSON.parse(await operator.request('GET', '/api/v1/pulls'))
  return pulls
}
