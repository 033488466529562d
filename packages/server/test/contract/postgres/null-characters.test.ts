/** Texts with U+0000, which PostgreSQL rejects and SQLite accepts. */
import assert from 'node:assert/strict'
import type { NewRejectedPush } from '../../../src/storage/port/rejected-push-store.ts'
import { createTest } from '../../helpers/storage/engines.ts'
import { ANY_REJECTED, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { postgresEngine } from '../../helpers/storage/postgres.ts'
import { taskResult } from '../../helpers/storage/pulls.ts'

const test = createTest({ engines: [postgresEngine] })

const NUL = 'a\0b'

const platform = NUL
const none = { platform: null, record_type: null }
const lists: [string, (kit: StorageKit) => Promise<unknown>, unknown][] = [
  ['records by platform', (kit) => kit.records({ platform }), []],
  ['records by record type', (kit) => kit.records({ record_type: NUL }), []],
  ['records by reference', (kit) => kit.records({ reference_number: NUL }), []],
  ['the record count', ({ storage }) => storage.records.countRecords({ ...none, platform }), 0],
  ['activity', (kit) => kit.activity({ platform }), []],
  [
    'rejected pushes',
    ({ storage }) =>
      storage.rejectedPushes.listRejectedPushes({
        ...ANY_REJECTED,
        platform,
        code: NUL,
        limit: 5,
        before: null,
      }),
    { rejected_pushes: [], has_more: false },
  ],
]
for (const [name, list, expected] of lists) {
  test(name, async (kit) => {
    await kit.register()
    assert.deepEqual(await list(kit), expected)
  })
}

test('a page after a name with U+0000 starts at its sort position', async (kit) => {
  const school = await kit.register()
  await school.post({ full_name: 'b' })
  const after = { value: NUL, record_id: 1 }
  assert.equal((await kit.records({ sort: 'full_name', after })).length, 1)
})

test('rejected pushes with U+0000 and the others of their batch are saved', async (kit) => {
  const { storage, clock } = kit
  const school = await kit.register()
  const push = (code: string, message: string): NewRejectedPush => ({
    platform_id: school.platform_id,
    method: 'POST',
    code,
    message,
    errors: { record_type: [message] },
    body: '{"record_type":"a\\u0000b"}',
    pull_id: null,
    request_id: null,
    record_type: null,
    position: null,
    activity: { level: 'warning', kind: 'push.rejected', message },
  })
  await storage.rejectedPushes.saveRejectedPushes(
    [push('module_not_registered', `"${NUL}" is not registered`), push('invalid_record', 'No')],
    { at: clock.text, day: clock.day, quotaBytes: 10_000 },
  )
  const { rejected_pushes: saved } = await storage.rejectedPushes.listRejectedPushes({
    ...ANY_REJECTED,
    limit: 5,
    before: null,
  })
  assert.deepEqual(saved.map(({ code }) => code).sort(), [
    'invalid_record',
    'module_not_registered',
  ])
})

test('a failed task is saved with U+0000 in its error and warnings', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const { read, task } = await school.startRead()
  const failed = taskResult({ state: 'failed', error: `Response: ${NUL}`, warnings: [NUL] })
  await storage.pulls.finishTask(read.pull_id, task.task_number, failed, {
    level: 'error',
    kind: 'pull.failed',
    message: NUL,
  })
  const platform = await storage.platforms.readPlatform(school.platform_id)
  assert.match(platform?.last_error ?? '', /Response/)
})

test('an activity entry with U+0000 is saved', async ({ storage }) => {
  await storage.activity.appendActivity({ level: 'info', kind: 'test', message: NUL })
})

test('a push with U+0000 in its record type is rejected, and the others of its batch are stored', async (kit) => {
  const school = await kit.register()
  const outcomes = await kit.outcomesOf(pushWrite(school, { record_type: NUL }), pushWrite(school))
  assert.deepEqual(outcomes, ['module_not_registered', 'created'])
})
