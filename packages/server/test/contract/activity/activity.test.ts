import assert from 'node:assert/strict'
import type { ActivityEntry } from '@recordhub/protocol'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  listActivity,
  only,
  readPages,
  registerTestPlatform,
} from '../../helpers/storage/fixtures.ts'

const ALL = { platform: null, level: null, limit: 100, before: null }
const ENTRY = { level: 'info', kind: 'test.entry', message: 'Test entry' } as const

test('an entry is read back as it was written, with the time of the clock', async (kit) => {
  const { storage, clock } = kit
  const details = { method: 'POST', deep: [1, { x: null }], nul: '\u0000', half: '\ud800' }
  const school = await registerTestPlatform({ storage, clock })
  const { platform_id, platform_name } = school
  clock.advance(5)
  await storage.activity.appendActivity({
    level: 'error',
    kind: 'test.failed',
    message: 'It failed: é😀 "q"\n',
    platform: { platform_id, platform_name },
    record_id: 7,
    actor: 'ann@example.org',
    details,
  })
  const [entry] = await kit.activity()
  const { id, ...rest } = entry ?? only<ActivityEntry>([])
  assert.ok(id > 0)
  assert.deepEqual(rest, {
    at: clock.text,
    level: 'error',
    kind: 'test.failed',
    platform_name: 'school',
    record_id: 7,
    actor: 'ann@example.org',
    message: 'It failed: é😀 "q"\n',
    details,
  })
})

test('omitted properties of an entry are null, and omitted details are empty', async (kit) => {
  const { storage, clock } = kit
  await storage.activity.appendActivity(ENTRY)
  const { id: _, ...entry } = only(await kit.activity())
  const rest = { platform_name: null, record_id: null, actor: null, details: {} }
  assert.deepEqual(entry, { ...ENTRY, at: clock.text, ...rest })
})

test('entries are listed newest first, each on one page, even if the clock is set back', async (kit) => {
  const { storage, clock } = kit
  for (let number = 0; number < 12; number += 1) {
    clock.advance(number % 3 === 0 ? -60 : 60)
    await storage.activity.appendActivity({ ...ENTRY, message: `${number}` })
  }
  const entries = await listInPages(storage, 5)
  assert.deepEqual(
    entries.map((entry) => entry.message),
    ['11', '10', '9', '8', '7', '6', '5', '4', '3', '2', '1', '0'],
  )
})

test('entries written concurrently are all saved', async ({ storage }) => {
  const messages = Array.from({ length: 50 }, (_, index) => `entry ${index}`)
  await Promise.all(
    messages.map((message) => storage.activity.appendActivity({ ...ENTRY, message })),
  )
  const entries = await listInPages(storage, 7)
  assert.deepEqual(entries.map((entry) => entry.message).sort(), messages.toSorted())
})

test('entries can be filtered by platform, by level, or by both', async (kit) => {
  const { activity } = kit.storage
  const school = await kit.register()
  const clinic = await kit.register({ name: 'clinic' })
  for (const platform of [school, clinic]) {
    for (const level of ['warning', 'error'] as const) {
      await activity.appendActivity({ ...ENTRY, level, platform })
    }
  }
  await activity.appendActivity({ ...ENTRY, level: 'error' })
  const listed = async (platform: string | null, level: ActivityEntry['level'] | null) =>
    (await listActivity(activity, { ...ALL, platform, level })).map(
      (entry) => `${entry.platform_name} ${entry.level}`,
    )
  assert.deepEqual(await listed(null, 'error'), ['null error', 'clinic error', 'school error'])
  assert.deepEqual(await listed('school', 'warning'), ['school warning'])
  assert.deepEqual(await listed('school', null), ['school error', 'school warning', 'school info'])
  assert.deepEqual(await listed('nowhere', null), [])
})

function listInPages(storage: Storage, limit: number): Promise<ActivityEntry[]> {
  return readPages<ActivityEntry>(limit, (last) =>
    listActivity(storage.activity, { ...ALL, limit, before: last?.id ?? null }),
  )
}
