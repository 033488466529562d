/** A record with traces in many tables, and the search for traces. */
import assert from 'node:assert/strict'
import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { hashReference, type StorageKit } from './engine.ts'
import {
  changeLog,
  listActivity,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  write,
  writeOne,
} from './fixtures.ts'
import { rejection, saveRejected } from './replays.ts'
import { countIndexedTexts } from './search.ts'
import { countRows, runSql } from './sql.ts'

const ALL = { platform: null, level: null, limit: 1000, before: null }
export const MODES: ErasureMode[] = ['erase', 'anonymise']

export const REFERENCE = 'reference of Ann 4711'
export const NAME = 'Ann Unmistakable'
export const VALUE = 'a value of Ann alone'

/** Creates a record with traces in all tables, and other records. */
export async function storeTraces(kit: StorageKit): Promise<{ school: TestPlatform; id: number }> {
  const school = await registerTestPlatform(kit)
  const whole = { reference: REFERENCE, full_name: NAME }
  const { record_id } = await writeOne(kit, pushWrite(school, { ...whole, data: '{"a":"1"}' }))
  await write(kit, pushWrite(school, { ...whole, data: `{"a":"${VALUE}"}` }))
  await write(kit, pushWrite(school, { reference: 'other' }))
  await write(kit, pushWrite(school, { ...whole, data: `{"a":"${VALUE} too"}` }))
  await saveRejectedPush(kit, school, REFERENCE)
  await saveRejectedPush(kit, school, REFERENCE, 'pull')
  await saveRejectedPush(kit, school, { wrapped: { reference_number: REFERENCE, full_name: NAME } })
  await saveRejectedPush(kit, school, 'other')
  return { school, id: record_id }
}

export function saveRejectedPush(
  kit: StorageKit,
  school: TestPlatform,
  what: string | object,
  method: 'POST' | 'pull' = 'POST',
): Promise<void> {
  const named = { record_type: 'students', reference_number: String(what) }
  const full_name = what === REFERENCE ? NAME : 'Bea'
  const body = typeof what === 'string' ? { ...named, full_name, data: 7 } : what
  const over = { method, errors: { data: ['must be an object'] }, body: JSON.stringify(body) }
  const about = typeof what === 'string' ? named : {}
  return saveRejected(kit, [rejection(school, { ...over, ...about })])
}

export async function erase(
  kit: StorageKit,
  record_id: number,
  mode: ErasureMode,
): Promise<Erasure> {
  const log = changeLog(`record.${mode}`)
  const request = { record_id, mode, actor: 'ann@example.org' }
  const erasure = await kit.storage.erasure.eraseRecord(request, log)
  assert.ok(erasure, 'There was nothing to erase')
  return erasure
}

export function hashOf(reference_number: string): string {
  return hashReference({ platform_name: 'school', record_type: 'students', reference_number })
}

const TABLES = [
  ...['records', 'record_history', 'record_deletions', 'rejected_pushes', 'activity', 'audit'],
  ...[
    'record_index',
    'tombstones',
    'missing_candidates',
    'missing_reviews',
    'pull_tasks',
    'removals',
    'alerts',
    'modules',
    'module_drift',
    'manifest_changes',
  ],
]

export async function expectNothing({ storage }: StorageKit, texts: string[]): Promise<void> {
  for (const table of TABLES) {
    const stored = JSON.stringify(await runSql(storage, `SELECT * FROM ${table}`))
    for (const text of texts) assert.ok(!stored.includes(text), `${text} is in ${table}`)
  }
}

export async function counts({ storage }: StorageKit): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of TABLES) found[table] = await countRows(storage, table)
  found['record_search'] = await countIndexedTexts(storage)
  return found
}

export async function activityNaming(
  { storage }: StorageKit,
  reference: string,
): Promise<unknown[]> {
  const lines = await listActivity(storage.activity, ALL)
  return lines.filter((line) => line.details['reference_number'] === reference)
}
