import assert from 'node:assert/strict'
import type { ActivityFilter } from '../../../src/storage/port/activity-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { runSql } from '../../helpers/storage/sql.ts'

const ENTRY = { level: 'info', kind: 'test.entry', message: 'Test entry' } as const

/** A slow machine must not shorten a page. */
const UNLIMITED_MS = 600_000

test('a kind filter matches the exact kind, or every kind with that noun and no other noun', async (kit) => {
  for (const kind of ['pull.started', 'pull_task.failed', 'pull.failed', 'pull', 'pullXfailed'])
    await append(kit, { kind })
  assert.deepEqual(await list(kit, { kind: 'pull' }, 'kind'), ['pull.failed', 'pull.started'])
  assert.deepEqual(await list(kit, { kind: 'pull.failed' }, 'kind'), ['pull.failed'])
  assert.deepEqual(await list(kit, { kind: 'pull_task' }, 'kind'), ['pull_task.failed'])
})

test('every search word must occur in the message, actor or details, and only A to Z are case-insensitive', async (kit) => {
  await append(kit, { message: 'Push of ÉCOLE_1 rejected (100 %)', actor: 'Ann@Example.org' })
  await append(kit, {
    message: 'Other',
    details: { reference_number: 'R-77', n: 'İstanbul' },
  })
  await append(kit, { message: 'Kelvin \u212a and \u017f' })
  const first = 'Push of ÉCOLE_1 rejected (100 %)'
  for (const terms of [
    ['push'],
    ['REJECTED', 'ann@example.ORG'],
    ['École_1'],
    ['%)'],
    ['100', '%'],
  ]) {
    assert.deepEqual(await list(kit, { terms }, 'message'), [first], terms.join(' '))
  }
  assert.deepEqual(await list(kit, { terms: ['r-77', 'İSTANBUL'] }, 'message'), ['Other'])
  const none = [['école_1'], ['push', 'other'], ['rej_cted'], ["'"], ['nothing\u0000'], ['is']]
  for (const terms of none) {
    assert.deepEqual(await list(kit, { terms }, 'message'), [], terms.join(' '))
  }
  assert.deepEqual(await list(kit, { terms: ['kelvin', 'k', '\u212a'] }, 'message'), [
    'Kelvin \u212a and \u017f',
  ])
  assert.equal((await list(kit, { terms: [] }, 'id')).length, 3)
})

test('filters by record and by inclusive time range can be combined', async (kit) => {
  const school = await kit.register()
  const times: string[] = []
  for (let number = 0; number < 5; number += 1) {
    kit.clock.advance(3600)
    times.push(kit.clock.text)
    await append(kit, { platform: school, record_id: 1 + (number % 2), message: `${number}` })
  }
  const [, second, , fourth] = times
  const time = { since: second ?? '', until: fourth ?? '' }
  assert.deepEqual(await list(kit, time, 'message'), ['3', '2', '1'])
  assert.deepEqual(await list(kit, { ...time, record_id: 2 }, 'message'), ['3', '1'])
  assert.deepEqual(await list(kit, { ...time, platform: 'nowhere' }, 'message'), [])
  assert.deepEqual(await list(kit, { since: '9999-12-31T23:59:59.999Z' }, 'message'), [])
  assert.deepEqual(await list(kit, { until: '0000-01-01T00:00:00.000Z' }, 'message'), [])
  const ever = { since: '0000-01-01T00:00:00.000Z', until: '9999-12-31T23:59:59.999Z' }
  assert.equal((await list(kit, { ...ever, platform: 'school' }, 'id')).length, 6)
})

test('a filter by operator returns what has an actor, also in pages', async (kit) => {
  for (const actor of ['ann', null, 'token', null, 'bob'])
    await append(kit, actor === null ? {} : { actor, message: actor })
  assert.deepEqual(await list(kit, { by: 'operator' }, 'message'), ['bob', 'token', 'ann'])
  const page = { by: 'operator', limit: 2, before: null } as const
  const { next } = await kit.storage.activity.listActivity(page)
  const second = await kit.storage.activity.listActivity({ ...page, before: next })
  assert.deepEqual([second.entries.map(({ actor }) => actor), second.next], [['ann'], null])
})

test('paging through a filter returns every match among many entries with gaps in their ids', async (kit) => {
  await writeMany(kit)
  const level = 'error' as const
  const scan_ms = UNLIMITED_MS
  const errors: (number | undefined)[] = []
  let before: number | null = null
  do {
    const page = await kit.storage.activity.listActivity({ level, limit: 2, before, scan_ms })
    assert.ok(page.complete)
    errors.push(...page.entries.map((line) => line.record_id ?? undefined))
    before = page.next
  } while (before !== null)
  assert.deepEqual(errors, [6000, 4500, 3000, 1500])
  // One day per thousand entries: the ends of the time range are found by binary search.
  const since = '2026-01-03T00:00:00.000Z'
  const until = '2026-01-03T00:00:20.000Z'
  const entriesOfDay = await list(kit, { since, until }, 'at')
  assert.deepEqual([entriesOfDay.length, entriesOfDay[0], entriesOfDay.at(-1)], [21, until, since])
})

test('a search that exceeds its time limit returns an incomplete page, and the next page continues it', async (kit) => {
  await writeMany(kit)
  const records: (number | null)[] = []
  let before: number | null = null
  let incomplete = 0
  do {
    const query = { terms: ['ERROR'], limit: 50, before, scan_ms: 0 }
    const page = await kit.storage.activity.listActivity(query)
    records.push(...page.entries.map((line) => line.record_id))
    if (!page.complete) incomplete += 1
    assert.ok(page.next === null || before === null || page.next < before)
    before = page.next
  } while (before !== null)
  assert.deepEqual(records, [6000, 4500, 3000, 1500])
  assert.ok(incomplete > 0, 'no page was incomplete')
})

test('pushes are counted only for minutes that were read within the time limit', async (kit) => {
  await writeMany(kit)
  const since = '2026-01-02T00:00:00.000Z'
  const count = (scan_ms: number) => kit.storage.activity.countPushesByMinute({ since, scan_ms })
  assert.equal((await count(UNLIMITED_MS)).from, '2026-01-02T00:00')
  // The first step reads the last entry only, since the ids of a day are far from those of the next one.
  assert.equal((await count(0)).from, '2026-01-07T00:01')
})

test('a filter returns an empty page when there are no entries', async ({ storage }) => {
  const query = { level: 'error', since: '2026-01-01T00:00:00.000Z' } as const
  const page = await storage.activity.listActivity({ ...query, limit: 5, before: null })
  assert.deepEqual(page, { entries: [], next: null, complete: true })
})

async function append(
  { storage }: Pick<StorageKit, 'storage'>,
  over: Partial<Parameters<StorageKit['storage']['activity']['appendActivity']>[0]>,
): Promise<void> {
  await storage.activity.appendActivity({ ...ENTRY, ...over })
}

async function list<Key extends 'id' | 'at' | 'kind' | 'message'>(
  { storage }: Pick<StorageKit, 'storage'>,
  filter: ActivityFilter,
  key: Key,
) {
  const query = { ...filter, limit: 100, before: null, scan_ms: UNLIMITED_MS }
  const page = await storage.activity.listActivity(query)
  assert.ok(page.complete)
  return page.entries.map((line) => line[key])
}

/** Writes 6,000 entries one second apart, with a day between thousands; every 1500th is an error. */
async function writeMany({ storage }: Pick<StorageKit, 'storage'>): Promise<void> {
  const numbers = Array.from({ length: 6000 }, (_, index) => index + 1)
  const rows = numbers.map((number) => {
    const days = Math.floor(number / 1000)
    const at = new Date(Date.UTC(2026, 0, 1 + days, 0, 0, number % 1000)).toISOString()
    const level = number % 1500 === 0 ? 'error' : 'info'
    return `(${number * 3 + days * 10_000}, '${at}', '${level}', 'test.entry', ${number}, 'An ${level}', '{}')`
  })
  await runSql(
    storage,
    `INSERT INTO activity (activity_id, at, level, kind, record_id, message, details) VALUES ${rows.join(', ')}`,
  )
}
