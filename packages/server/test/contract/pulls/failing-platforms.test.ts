import assert from 'node:assert/strict'
import type { PullTrigger } from '@recordhub/protocol'
import { createTest, test } from '../../helpers/storage/engines.ts'
import {
  changeLog,
  only,
  pushWrite,
  type TestPlatform,
  testModule,
} from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { saveManifest } from '../../helpers/storage/manifests.ts'
import { setRegisteredModules, setSource } from '../../helpers/storage/platform-changes.ts'
import { LEASE, startTestPull, taskResult } from '../../helpers/storage/pulls.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'
import { sqliteEngine } from '../../helpers/storage/sqlite.ts'
import { isDeep } from '../../helpers/time/tier.ts'

const FAILED = { state: 'failed', error: 'It hangs', problem: 'It hangs' } as const

const SCHOOL = new Set(['school'])

/** Events other than a pull that show that a platform works again. */
const RECOVERIES: [string, (kit: StorageKit, platform: TestPlatform) => Promise<unknown>][] = [
  ['a push', (kit, platform) => kit.writeOne(pushWrite(platform))],
  ['a response', ({ storage }, { platform_id }) => storage.platforms.recordRecovery(platform_id)],
  ['an unchanged manifest', (kit, platform) => saveManifest(kit, platform, testModule('students'))],
  [
    'a changed manifest',
    (kit, platform) => saveManifest(kit, platform, testModule('students'), testModule('rooms')),
  ],
  ['a new source URL', (kit, platform) => changeSource(kit, platform, 'the encrypted key')],
  ['a new source API key', (kit, platform) => changeSource(kit, platform, 'another encrypted key')],
  [
    'a reactivation',
    async (kit, platform) => {
      await kit.setStatus(platform, 'inactive')
      await kit.setStatus(platform, 'active')
    },
  ],
  [
    'a module read before the pull was interrupted',
    async ({ storage }) => {
      const { pull_id, tasks } = await startTestPull(storage)
      const { task_number } = only(tasks)
      await storage.pulls.startTask(pull_id, task_number)
      await storage.pulls.finishTask(pull_id, task_number, taskResult(), null)
      await storage.pulls.interruptPulls()
    },
  ],
]

test('scheduled pulls skip a platform for 15 minutes after five consecutive failed pulls', async (kit) => {
  await kit.register({ name: 'failing' })
  await kit.register({ name: 'healthy' })
  const failing = new Set(['failing'])
  for (let round = 1; round <= 5; round += 1) {
    assert.deepEqual(await pull(kit, 'schedule', failing), {
      failing: 'failed',
      healthy: 'succeeded',
    })
    kit.clock.advance(60)
  }
  assert.deepEqual(await pull(kit, 'schedule', failing), {
    failing: 'skipped',
    healthy: 'succeeded',
  })
  // A manual pull does not skip the platform, and its failure does not end the pause.
  assert.equal((await pull(kit, 'operator', failing))['failing'], 'failed')
  assert.equal((await pull(kit, 'schedule', failing))['failing'], 'skipped')
  kit.clock.advance(15 * 60)
  assert.equal((await pull(kit, 'schedule', failing))['failing'], 'failed')
  assert.equal((await pull(kit, 'schedule', failing))['failing'], 'skipped')
  // A successful pull resets the failure count.
  assert.equal((await pull(kit, 'api', new Set()))['failing'], 'succeeded')
  for (let round = 1; round <= 5; round += 1) {
    assert.equal((await pull(kit, 'schedule', failing))['failing'], 'failed')
  }
  assert.equal((await pull(kit, 'schedule', failing))['failing'], 'skipped')
})

/** In the quick tier, one event on PostgreSQL; another test has all others, before the failure. */
const testOnSqlite = isDeep ? test : createTest({ engines: [sqliteEngine] })

for (const [event, recover] of RECOVERIES) {
  const testEvent = event === 'a push' ? test : testOnSqlite
  testEvent(`${event} ends the pause of a failing platform, until it fails again`, async (kit) => {
    const school = await kit.register()
    const pauseEnd = () => kit.storage.platforms.readPauseEnd(school.platform_id, kit.clock.now())
    assert.equal(await pauseEnd(), null)
    await failFiveTimes(kit)
    assert.ok(((await pauseEnd()) ?? '') > kit.clock.text)
    assert.equal((await pull(kit, 'schedule', SCHOOL))['school'], 'skipped')
    kit.clock.advance(60)
    await recover(kit, school)
    kit.clock.advance(60)
    assert.equal((await pull(kit, 'schedule', SCHOOL))['school'], 'failed')
    assert.equal((await pull(kit, 'schedule', SCHOOL))['school'], 'skipped')
  })
}

test('the skipped tasks of a platform that responds are queued while their pull runs, and its pause ends', async (kit) => {
  const { platform_id } = await kit.register()
  await failFiveTimes(kit)
  const { pulls, platforms } = kit.storage
  const { pull: requested } = await request(kit, 'schedule')
  const resume = () => pulls.resumeSkipped(requested.id, platform_id)
  assert.deepEqual(await resume(), [], 'the pull has not started')
  assert.deepEqual(await pulls.startPull(requested.id, LEASE), [])
  assert.deepEqual(await pulls.listSkipped(requested.id), [platform_id])
  kit.clock.advance(1)
  const { task_number } = only(await resume())
  assert.deepEqual(await pulls.listSkipped(requested.id), [])
  assert.deepEqual(await resume(), [])
  assert.equal(await platforms.readPauseEnd(platform_id, kit.clock.now()), null)
  const task = only(await pulls.listTasks({ pull_id: requested.id, limit: 10, after: null }))
  assert.deepEqual([task.state, task.error, task.finished_at], ['queued', null, null])
  assert.ok(await pulls.startTask(requested.id, task_number))
  await kit.finishPull(requested.id)
  assert.deepEqual(await resume(), [], 'the pull has ended')
})

test('a push after the failure ends the pause even if it arrives before the pull ends', async (kit) => {
  const school = await kit.register()
  await failFiveTimes(kit, async () => {
    kit.clock.advance(60)
    await school.post()
    kit.clock.advance(60)
  })
  assert.equal((await pull(kit, 'schedule', SCHOOL))['school'], 'failed')
})

test('an event before the failure and a replay do not end the pause', async (kit) => {
  const school = await kit.register()
  await kit.saveRejected([rejection(school)])
  await pull(kit, 'schedule', SCHOOL)
  for (const [, recover] of RECOVERIES.slice(0, -1)) await recover(kit, school)
  kit.clock.advance(60)
  await failFiveTimes(kit)
  kit.clock.advance(60)
  await kit.writeOne(replayWrite(only(await kit.rejected())))
  assert.equal((await pull(kit, 'schedule', SCHOOL))['school'], 'skipped')
})

test('a response of a platform that is not failing writes nothing', async (kit) => {
  const { platform_id } = await kit.register()
  const read = () => kit.runSql('SELECT recovered_at FROM platforms')
  await kit.storage.platforms.recordRecovery(platform_id)
  assert.equal(only(await read())['recovered_at'], null)
  await pull(kit, 'schedule', SCHOOL)
  await kit.storage.platforms.recordRecovery(platform_id)
  assert.equal(only(await read())['recovered_at'], kit.clock.text)
})

test('the start of a pause is logged once, with the last error of the platform', async (kit) => {
  await kit.register({ name: 'failing', modules: ['a', 'b'] })
  const listPauses = async () => {
    const query = { platform: 'failing', level: null, limit: 100, before: null }
    const entries = await kit.activity(query)
    return entries.filter((entry) => entry.kind === 'platform.passed_over')
  }
  const failing = new Set(['failing'])
  for (let round = 1; round <= 4; round += 1) await pull(kit, 'schedule', failing)
  assert.deepEqual(await listPauses(), [])
  for (let round = 1; round <= 4; round += 1) {
    await pull(kit, 'schedule', failing)
    kit.clock.advance(16 * 60)
  }
  const entry = only(await listPauses())
  assert.equal(entry.level, 'warning')
  assert.match(entry.message, /Title failing.*15 minutes.*It hangs/)
  await pull(kit, 'schedule', new Set())
  for (let round = 1; round <= 5; round += 1) await pull(kit, 'schedule', failing)
  assert.equal((await listPauses()).length, 2)
})

test('a platform with at least one successful module is not failing', async (kit) => {
  await kit.register({ name: 'partial', modules: ['good', 'bad'] })
  for (let round = 1; round <= 7; round += 1) {
    const tasks = await pull(kit, 'schedule', new Set(['bad']), 'record_type')
    assert.deepEqual(tasks, { good: 'succeeded', bad: 'failed' })
  }
})

test('the failures of a module are counted until it is read or registered again', async (kit) => {
  const { alerts, platforms, pulls } = kit.storage
  const { platform_id } = await kit.register({ modules: ['good', 'bad'] })
  const listFailing = async () =>
    (await alerts.listFailingModules()).map(({ module_id: _, ...module }) => module)
  const since = kit.clock.text
  for (let round = 1; round <= 3; round += 1) {
    await pull(kit, 'schedule', new Set(['bad']), 'record_type')
    kit.clock.advance(60)
  }
  const bad = {
    platform_id,
    module_name: 'Module bad',
    last_error: 'It hangs',
    failures_in_row: 3,
    failing_since: since,
  }
  assert.deepEqual(await listFailing(), [bad])
  // An interrupted or cancelled task does not count as a failure or a success.
  const { pull: requested } = await request(kit, 'api')
  await pulls.startPull(requested.id, LEASE)
  await pulls.startTask(requested.id, 1)
  await kit.finishPull(requested.id, 'failed')
  assert.deepEqual(await listFailing(), [bad])
  await pull(kit, 'api', new Set(), 'record_type')
  assert.deepEqual(await listFailing(), [])
  await pull(kit, 'schedule', new Set(['bad']), 'record_type')
  assert.deepEqual((await listFailing())[0]?.failing_since, kit.clock.text)
  for (const record_types of [['good'], ['good', 'bad']]) {
    const change = { platform_id, record_types, at: kit.clock.text }
    await setRegisteredModules(platforms, change, changeLog())
    assert.deepEqual(await listFailing(), [])
  }
})

test('a plan contains the error of the last completed pull, ignoring interrupted pulls', async (kit) => {
  await kit.register({ name: 'school' })
  const problems: (string | null)[] = []
  const results = [
    FAILED,
    { state: 'interrupted', error: 'Stopped', problem: 'Stopped' },
    { problem: '2 rejected' },
    {},
    {},
  ] as const
  for (const result of results) {
    const { pull: requested } = await request(kit, 'api')
    const [plan] = (await kit.storage.pulls.startPull(requested.id, LEASE)) ?? []
    assert.ok(plan)
    problems.push(plan.problem)
    await kit.storage.pulls.startTask(requested.id, plan.task_number)
    const { pulls } = kit.storage
    await pulls.finishTask(requested.id, plan.task_number, taskResult(result), null)
    await kit.finishPull(requested.id)
  }
  assert.deepEqual(problems, [null, 'It hangs', 'It hangs', '2 rejected', null])
})

/** @param beforeEnd runs after the module has failed and before the last of the pulls ends. */
async function failFiveTimes(kit: StorageKit, beforeEnd?: () => Promise<void>): Promise<void> {
  for (let round = 1; round <= 4; round += 1) await pull(kit, 'schedule', SCHOOL)
  await pull(kit, 'schedule', SCHOOL, 'platform_name', beforeEnd)
}

function changeSource({ storage, clock }: StorageKit, platform: TestPlatform, key: string) {
  const { platform_id } = platform
  const source_base_url = 'https://another.example'
  const change = { platform_id, source_base_url, encrypted_source_key: key, at: clock.text }
  return setSource(storage.platforms, change, changeLog())
}

function request({ storage }: StorageKit, trigger: PullTrigger) {
  return storage.pulls.requestPull({ trigger, requested_by: null, lease: LEASE, only: null })
}

/** Runs one pull. @returns the state of each task by platform name or record type. */
async function pull(
  kit: StorageKit,
  trigger: PullTrigger,
  failing: ReadonlySet<string>,
  key: 'platform_name' | 'record_type' = 'platform_name',
  beforeEnd?: () => Promise<void>,
): Promise<Record<string, string>> {
  const { pulls } = kit.storage
  const { pull: requested } = await request(kit, trigger)
  await pulls.startPull(requested.id, LEASE)
  const list = () => pulls.listTasks({ pull_id: requested.id, limit: 10, after: null })
  for (const task of await list()) {
    if (task.state !== 'queued') continue
    await pulls.startTask(requested.id, task.task_number)
    const result = taskResult(failing.has(task[key]) ? FAILED : {})
    await pulls.finishTask(requested.id, task.task_number, result, null)
  }
  await beforeEnd?.()
  await kit.finishPull(requested.id)
  return Object.fromEntries((await list()).map((task) => [task[key], task.state]))
}
