/** A record whose data is in many tables, and assertions about what an erasure deletes. */
import assert from 'node:assert/strict'
import type { Erasure, ErasureMode } from '@recordhub/protocol'
import { hashReference } from './engine.ts'
import {
  changeLog,
  listActivity,
  loggedRequest,
  type StorageContext,
  type TestPlatform,
} from './fixtures.ts'
import type { KitPlatform, StorageKit } from './kit.ts'
import { rejection, saveRejected } from './replays.ts'
import { countIndexedTexts } from './search.ts'
import { countRows, runSql } from './sql.ts'

const ALL = { platform: null, level: null, limit: 1000, before: null }
export const ERASURE_MODES: ErasureMode[] = ['erase', 'anonymise']

export const REFERENCE = 'reference of Ann 4711'
export const NAME = 'Ann Unmistakable'
export const VALUE = 'a value of Ann alone'

/** Creates a record whose reference number, name and values are in many tables, and another record. */
export async function createRecordWithTraces(
  kit: StorageKit,
): Promise<{ school: KitPlatform; id: number }> {
  const school = await kit.register()
  const person = { reference: REFERENCE, full_name: NAME }
  const { record_id } = await school.post({ ...person, data: '{"a":"1"}' })
  await school.post({ ...person, data: `{"a":"${VALUE}"}` })
  await school.post({ reference: 'other' })
  await school.post({ ...person, data: `{"a":"${VALUE} too"}` })
  await saveRejectedPush(kit, school, REFERENCE)
  await saveRejectedPush(kit, school, REFERENCE, 'pull')
  await saveRejectedPush(kit, school, { wrapped: { reference_number: REFERENCE, full_name: NAME } })
  await saveRejectedPush(kit, school, 'other')
  const body = `{"data":{"note":"${REFERENCE}, ${VALUE}"}}`
  const details = { headers: {}, body: JSON.stringify({ note: REFERENCE, body }), response: null }
  const requests = [
    { reference_number: REFERENCE, record_id },
    { reference_number: 'other', details },
    { reference_number: 'other' },
  ]
  await kit.storage.requests.saveRequests(
    requests.map((one) => loggedRequest(school, one)),
    1e6,
  )
  return { school, id: record_id }
}

export function saveRejectedPush(
  kit: StorageContext,
  school: TestPlatform,
  content: string | object,
  method: 'POST' | 'pull' = 'POST',
): Promise<boolean[]> {
  const ref = { record_type: 'students', reference_number: String(content) }
  const full_name = content === REFERENCE ? NAME : 'Bea'
  const body = typeof content === 'string' ? { ...ref, full_name, data: 7 } : content
  const overrides = { method, errors: { data: ['must be an object'] }, body: JSON.stringify(body) }
  const recordRef = typeof content === 'string' ? ref : {}
  return saveRejected(kit, [rejection(school, { ...overrides, ...recordRef })])
}

export async function erase(
  kit: StorageContext,
  record_id: number,
  mode: ErasureMode,
): Promise<Erasure> {
  const log = changeLog(`record.${mode}`, `record.${mode}`)
  const request = { record_id, mode, actor: 'ann@example.org' }
  const erasure = await kit.storage.erasure.eraseRecord(request, log)
  assert.ok(erasure, 'The record does not exist')
  return erasure
}

export function hashOfReference(reference_number: string): string {
  return hashReference({ first_name: 'school', record_type: 'students', reference_number })
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
    'digest_buckets',
    'module_digests',
    'manifest_changes',
    'request_batches',
    'request_details',
  ],
]

export async function expectTextsAbsent(
  { storage }: StorageContext,
  texts: string[],
): Promise<void> {
  for (const table of TABLES) {
    const stored = JSON.stringify(await runSql(storage, `SELECT * FROM ${table}`))
    for (const text of texts) assert.ok(!stored.includes(text), `${text} is in ${table}`)
  }
}

export async function countRowsByTable({
  storage,
}: StorageContext): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  for (const table of TABLES) rows[table] = await countRows(storage, table)
  rows['record_search'] = await countIndexedTexts(storage)
  return rows
}

export async function activityWithReference(
  { storage }: StorageContext,
  reference: string,
): Promise<unknown[]> {
  const entries = await listActivity(storage.activity, ALL)
  return entries.filter((entry) => entry.details['reference_number'] === reference)
}
