import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type StorageEngine, withStorage } from '../helpers/storage-engine.ts'
import { pushWrite, registerTestPlatform, setStatus, write } from '../helpers/storage-fixtures.ts'
import { finishTestPull, startTestPull, taskOf, taskResult } from '../helpers/storage-pulls.ts'

const QUIET = {
  received_post: 0,
  received_patch: 0,
  received_pull: 0,
  created: 0,
  updated: 0,
  rejected: 0,
  platforms_added: 0,
  modules_added: 0,
}

export function describeStatistics(engine: StorageEngine): void {
  describe(`statistics on ${engine.name}`, () => {
    test(
      'each hour has what happened in it, over all platforms; quiet ones are left out',
      withStorage(engine, async (kit) => {
        kit.clock.set('2026-03-09T22:59:59.999Z')
        await registerTestPlatform(kit, { name: 'outside' })
        kit.clock.set('2026-03-09T23:00:00.000Z')
        const school = await registerTestPlatform(kit, { modules: ['students', 'rooms'] })
        await write(kit, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
        kit.clock.set('2026-03-10T01:59:59.999Z')
        const clinic = await registerTestPlatform(kit, { name: 'clinic' })
        await write(kit, pushWrite(clinic), pushWrite(school, { source: 'PATCH', data: '{"a":9}' }))
        kit.clock.set('2026-03-10T02:00:00.000Z')
        await write(kit, pushWrite(clinic, { reference: 'r-2' }))
        const hours = await kit.storage.statistics.readHours('2026-03-09T23', '2026-03-10T01')
        assert.deepEqual(
          hours.toSorted((one, other) => one.hour.localeCompare(other.hour)),
          [
            {
              ...QUIET,
              hour: '2026-03-09T23',
              received_post: 2,
              created: 2,
              platforms_added: 1,
              modules_added: 2,
            },
            {
              ...QUIET,
              hour: '2026-03-10T01',
              received_post: 1,
              received_patch: 1,
              created: 1,
              updated: 1,
              platforms_added: 1,
              modules_added: 1,
            },
          ],
        )
        assert.deepEqual(
          await kit.storage.statistics.readHours('2026-03-10T03', '2026-03-10T04'),
          [],
        )
      }),
    )

    test(
      'the latest pulls of a platform are those it took part in, each in one word',
      withStorage(engine, async (kit) => {
        const { pulls, statistics } = kit.storage
        const school = await registerTestPlatform(kit, { modules: ['students', 'rooms'] })
        const pull = async (students: 'succeeded' | 'failed', rooms: 'succeeded' | 'failed') => {
          const started = await startTestPull(kit.storage)
          for (const [type, state] of [
            ['students', students],
            ['rooms', rooms],
          ] as const) {
            const { task_number } = taskOf(started, school, type)
            await pulls.finishTask(started.pull_id, task_number, taskResult({ state }), null)
          }
          kit.clock.advance(60)
          await finishTestPull(kit.storage, started.pull_id, 'partial')
          return started.pull_id
        }
        const first = await pull('succeeded', 'succeeded')
        const second = await pull('failed', 'succeeded')
        const third = await pull('failed', 'failed')
        await setStatus(kit, school, 'inactive')
        await registerTestPlatform(kit, { name: 'clinic' })
        const other = await startTestPull(kit.storage)
        await finishTestPull(kit.storage, other.pull_id, 'succeeded')
        await setStatus(kit, school, 'active')
        const running = await startTestPull(kit.storage)
        const listed = await statistics.listPlatformPulls(school.platform_id, 30)
        assert.deepEqual(
          listed.map(({ pull_id, state }) => [pull_id, state]),
          [
            [running.pull_id, 'running'],
            [third, 'failed'],
            [second, 'partial'],
            [first, 'succeeded'],
          ],
        )
        assert.deepEqual(
          listed.map(({ finished_at }) => finished_at),
          [
            null,
            '2026-03-10T08:02:00.000Z',
            '2026-03-10T08:01:00.000Z',
            '2026-03-10T08:00:00.000Z',
          ],
        )
        assert.deepEqual(
          await statistics.listPlatformPulls(school.platform_id, 2),
          listed.slice(0, 2),
        )
        assert.deepEqual(await statistics.listPlatformPulls(4711, 30), [])
      }),
    )
  })
}
