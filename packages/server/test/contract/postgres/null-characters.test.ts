/** Texts with U+0000, which PostgreSQL rejects and SQLite accepts. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { NewRejectedPush } from '../../../src/storage/port/rejected-push-store.ts'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import {
  ANY_REJECTED,
  listActivity,
  listRecords,
  outcomesOf,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
} from '../../helpers/storage/fixtures.ts'
import { postgresEngine } from '../../helpers/storage/postgres.ts'
import { startPullAndRead, taskResult } from '../../helpers/storage/pulls.ts'

const NUL = 'a\0b'

type Kit = StorageKit & { school: TestPlatform }

describe('filters with U+0000 find nothing on PostgreSQL', () => {
  const platform = NUL
  const none = { platform: null, record_type: null }
  const lists: [string, (kit: Kit) => Promise<unknown>, unknown][] = [
    ['records by platform', ({ storage }) => listRecords(storage, { platform }), []],
    ['records by record type', ({ storage }) => listRecords(storage, { record_type: NUL }), []],
    ['records by reference', ({ storage }) => listRecords(storage, { reference_number: NUL }), []],
    ['the record count', ({ storage }) => storage.records.countRecords({ ...none, platform }), 0],
    [
      'activity',
      ({ storage }) =>
        listActivity(storage.activity, { platform, level: null, limit: 5, before: null }),
      [],
    ],
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
    test(
      name,
      withSchool(async (kit) => assert.deepEqual(await list(kit), expected)),
    )
  }

  test(
    'a page after a name with U+0000 starts at its sort position',
    withSchool(async (kit) => {
      await write(kit, pushWrite(kit.school, { full_name: 'b' }))
      const after = { value: NUL, record_id: 1 }
      assert.equal((await listRecords(kit.storage, { sort: 'full_name', after })).length, 1)
    }),
  )
})

describe('received texts with U+0000 are stored on PostgreSQL', () => {
  test(
    'rejected pushes with U+0000 and the others of their batch are saved',
    withSchool(async ({ storage, clock, school }) => {
      const push = (code: string, message: string): NewRejectedPush => ({
        platform_id: school.platform_id,
        method: 'POST',
        code,
        message,
        errors: { record_type: [message] },
        body: '{"record_type":"a\\u0000b"}',
        pull_id: null,
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
    }),
  )

  test(
    'a failed task is saved with U+0000 in its error and warnings',
    withSchool(async ({ storage, school }) => {
      const { read, task } = await startPullAndRead(storage, school)
      const failed = taskResult({ state: 'failed', error: `Response: ${NUL}`, warnings: [NUL] })
      await storage.pulls.finishTask(read.pull_id, task.task_number, failed, {
        level: 'error',
        kind: 'pull.failed',
        message: NUL,
      })
      const platform = await storage.platforms.readPlatform(school.platform_id)
      assert.match(platform?.last_error ?? '', /Response/)
    }),
  )

  test(
    'an activity entry with U+0000 is saved',
    withSchool(async ({ storage }) => {
      await storage.activity.appendActivity({ level: 'info', kind: 'test', message: NUL })
    }),
  )

  test(
    'a push with U+0000 in its record type is rejected, and the others of its batch are stored',
    withSchool(async (kit) => {
      const results = await write(
        kit,
        pushWrite(kit.school, { record_type: NUL }),
        pushWrite(kit.school),
      )
      assert.deepEqual(outcomesOf(results), ['module_not_registered', 'created'])
    }),
  )
})

function withSchool(run: (kit: Kit) => Promise<void>): () => Promise<void> {
  return withStorage(postgresEngine, async (kit) => {
    await run({ ...kit, school: await registerTestPlatform(kit) })
  })
}
