/** Platforms with rows in all tables, and the removal of platforms. */

import assert from 'node:assert/strict'
import type { Removal } from '@recordhub/protocol'
import {
  changeLog,
  listHistory,
  loggedRequest,
  pushWrite,
  type StorageContext,
  type TestPlatform,
  testManifest,
  testModule,
} from './fixtures.ts'
import type { KitPlatform, StorageKit } from './kit.ts'
import { missingReview } from './missing.ts'
import { setRegisteredModules } from './platform-changes.ts'
import { rejection } from './replays.ts'
import { countRows, runSql } from './sql.ts'

export const PLATFORM_TABLES = [
  ...['indexed_fields', 'record_index'],
  ...['platforms', 'modules', 'hub_keys', 'records', 'record_history', 'rejected_pushes'],
  ...['module_counters', 'hourly_counters', 'missing_reviews', 'missing_candidates'],
  ...['module_drift', 'manifest_changes'],
]

/** `school` with 250 students, 30 staff, history of more than one step, a rejected push and a missing review; `clinic` with one record. */
export async function createTwoPlatforms(
  kit: StorageKit,
): Promise<{ school: KitPlatform; clinic: KitPlatform }> {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic' })
  const many = (count: number, over: Parameters<typeof pushWrite>[1]) =>
    Array.from({ length: count }, (_, n) => pushWrite(school, { reference: `r-${n}`, ...over }))
  await kit.write(...many(250, {}), pushWrite(clinic), ...many(30, { record_type: 'staff' }))
  for (const round of [1, 2]) await kit.write(...many(220, { data: `{"a":${round}}` }))
  await storeNewManifests(kit, school, 3)
  const drift = { unknown: ['x'], absent: [], wrong_type: [] }
  await kit.write({ ...pushWrite(school, { data: '{"x":1}' }), drift })
  await kit.saveRejected([rejection(school)])
  const details = { headers: {}, body: '{}', response: '{}' }
  const requests = [loggedRequest(school, { details }), loggedRequest(clinic, { details })]
  await kit.storage.requests.saveRequests(requests, 1e6)
  const read = await school.startRead()
  const line = { level: 'info', kind: 'test.recorded', message: 'Recorded' } as const
  await kit.storage.missing.createReview(missingReview(read), null, line)
  await kit.storage.missing.saveCandidates(read.read, [1, 2])
  await kit.finishPull(read.read.pull_id)
  return { school, clinic }
}

/** Saves this number of manifests, each with another description. */
async function storeNewManifests(
  { storage, clock }: StorageContext,
  { platform_id }: TestPlatform,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const modules = ['students', 'staff'].map((type) => testModule(type))
    const manifest = { ...testManifest(...modules), platform_description: `About ${n}` }
    const log = changeLog()
    assert.ok(
      await storage.manifests.saveManifest({ platform_id, manifest, at: clock.text }, () => log),
    )
  }
}

export async function removePlatform(
  { storage, clock }: StorageContext,
  platform: TestPlatform,
): Promise<Removal> {
  const { platform_id, platform_name } = platform
  const request = { platform_id, platform_name, requested_by: 'ann', at: clock.text }
  const removal = await storage.platforms.removePlatform(request, changeLog('platform.removed'))
  assert.ok(removal)
  return removal
}

/** Asserts that readers find these records and no others, and none of `hidden`. */
export async function expectVisible(
  kit: StorageKit,
  visible: number[],
  hidden: number[],
): Promise<void> {
  const { records, changes } = kit.storage
  for (const query of [
    {},
    { sort: 'full_name' },
    { missing: false },
    { sort: 'data.a' },
  ] as const) {
    const found = await kit.records({ limit: 1000, ...query })
    assert.deepEqual(found.map((one) => one.record_id).sort(byNumber), visible)
  }
  assert.equal(await records.countRecords({ platform: null, record_type: null }), visible.length)
  const { stats } = await kit.storage.snapshot.readSnapshot(kit.clock.day)
  assert.equal(stats.records, visible.length)
  const listed = await kit.storage.platforms.listPlatforms()
  assert.equal(
    listed.reduce((sum, platform) => sum + platform.records, 0),
    visible.length,
  )
  const everything = { platform: null, record_type: null, after: 0, limit: 1000, maxBytes: 1e9 }
  const page = await changes.listChanges(everything)
  const changed = page.outcome === 'found' ? page.changes.filter((one) => 'record' in one) : []
  assert.equal(changed.length, visible.length)
  for (const id of [hidden[0] ?? 0, hidden.at(-1) ?? 0]) {
    assert.equal(await records.readRecord(id), null)
    assert.deepEqual(await listHistory(kit.storage, id), [])
  }
}

const byNumber = (one: number, other: number) => one - other

/** The ids of the records of a platform or module, in ascending order. */
export async function idsOf(
  kit: StorageKit,
  query: { platform?: string; record_type?: string },
): Promise<number[]> {
  const found = await kit.records({ limit: 1000, ...query })
  return found.map((one) => one.record_id).sort(byNumber)
}

export function registerModules(
  { storage, clock }: StorageContext,
  { platform_id }: TestPlatform,
  record_types: string[],
) {
  const change = { platform_id, record_types, at: clock.text }
  return setRegisteredModules(storage.platforms, change, changeLog())
}

export async function runRemovals({ storage }: StorageContext): Promise<void> {
  while (await storage.removals.runNextStep());
}

export async function countPlatformRows({
  storage,
}: StorageContext): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of PLATFORM_TABLES) rows[table] = await countRows(storage, table)
  return rows
}

/** Asserts that the counters of each module match its records. */
export async function expectMatchingCounters({ storage }: StorageContext): Promise<void> {
  const readNumbers = async (sql: string) =>
    new Map((await runSql(storage, sql)).map((row) => [Number(row['module_id']), Number(row['n'])]))
  const counted = await readNumbers(
    'SELECT module_id, sum(records) AS n FROM module_counters GROUP BY module_id',
  )
  const stored = await readNumbers(
    'SELECT module_id, count(*) AS n FROM records GROUP BY module_id',
  )
  for (const [module, n] of counted) assert.equal(n, stored.get(module) ?? 0, `module ${module}`)
  for (const module of stored.keys()) assert.ok(counted.has(module))
}
