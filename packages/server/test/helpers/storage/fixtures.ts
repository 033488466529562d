/** Platforms and writes for tests of the storage, with defaults for everything that a test does not specify. */

import assert from 'node:assert/strict'
import type { ActivityEntry, AuditAction, Manifest, Module } from '@recordhub/protocol'
import {
  isJsonObject,
  type JsonObject,
  parseLossless,
  stringifyLossless,
} from '@recordhub/protocol/lossless-json'
import type { PushErrorCount } from '../../../src/domain/activity/push-errors.ts'
import type { LoggedRequest } from '../../../src/domain/activity/request-log.ts'
import type { PushedContent } from '../../../src/domain/record/record.ts'
import { NO_FILTER } from '../../../src/domain/record/record-query.ts'
import type { ActivityStore } from '../../../src/storage/port/activity-store.ts'
import type { ChangeLog, NewPlatform } from '../../../src/storage/port/platform-store.ts'
import type {
  HistoryRow,
  PushWrite,
  RecordPage,
  RecordQuery,
  RecordRow,
  RecordWrite,
  WriteOutcome,
} from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import type { TestClock } from './engine.ts'
import { setPlatformStatus } from './platform-changes.ts'

/** A storage and its clock. */
export type StorageContext = { storage: Storage; clock: TestClock }

export type TestPlatform = {
  platform_id: number
  platform_name: string
  key_hash: string
  hub_key_id: number
}

export type RegistrationOptions = { name?: string; modules?: string[]; offered?: string[] }

export function testModule(record_type: string): Module {
  return {
    record_type,
    module_name: `Module ${record_type}`,
    description: `All ${record_type}`,
    fields: [{ key: 'a', label: 'A', type: 'string', required: true }],
  }
}

/** The manifest of `newPlatform('school')` with these modules. */
export function testManifest(...modules: Module[]): Manifest {
  return {
    platform_name: 'school',
    platform_title: 'Title school',
    platform_description: 'About school',
    modules,
  }
}

export function newPlatform(
  name: string,
  overrides: Partial<NewPlatform> & { registered?: string[]; offered?: string[] } = {},
): NewPlatform {
  const { registered = ['students'], offered = [], ...rest } = overrides
  return {
    platform_name: name,
    display_title: `Title ${name}`,
    platform_description: `About ${name}`,
    source_base_url: `https://${name}.example`,
    encrypted_source_key: `encrypted source key of ${name}`,
    hub_key: {
      key_hash: `hash of ${name}`,
      hint: 'rhk_…1234',
      ciphertext: `encrypted key of ${name}`,
    },
    modules: [
      ...registered.map((type) => ({ ...testModule(type), registered: true })),
      ...offered.map((type) => ({ ...testModule(type), registered: false })),
    ],
    at: '2026-03-10T08:00:00.000Z',
    ...rest,
  }
}

export function changeLog(
  kind = 'platform.changed',
  action: AuditAction = 'platform.change_source',
): ChangeLog {
  return {
    activity: { level: 'info', kind, message: `Test of ${kind}`, actor: 'ann@example.org' },
    audit: { actor: 'ann@example.org', action, target: 'school', address: '127.0.0.1' },
  }
}

/** Registers a platform, by default with the module `students`, and finds it by its key. */
export async function registerTestPlatform(
  { storage, clock }: StorageContext,
  options: RegistrationOptions = {},
): Promise<TestPlatform> {
  const { name = 'school', modules = ['students'], offered = [] } = options
  const platform = newPlatform(name, { registered: modules, offered, at: clock.text })
  const result = await storage.platforms.registerPlatform(platform, changeLog())
  assert.equal(result.outcome, 'registered')
  const { key_hash } = platform.hub_key
  const authenticated = await storage.platforms.findPlatformByKey(key_hash, clock.text)
  assert.ok(authenticated)
  const { platform_id, hub_key_id } = authenticated
  return { platform_id, platform_name: name, key_hash, hub_key_id }
}

export async function setStatus(
  { storage, clock }: StorageContext,
  platform: TestPlatform,
  status: 'active' | 'inactive',
): Promise<void> {
  const { platform_id } = platform
  await setPlatformStatus(storage.platforms, { platform_id, status, at: clock.text }, changeLog())
}

/** The entries of a page of the activity. */
export async function listActivity(
  activity: ActivityStore,
  query: Parameters<ActivityStore['listActivity']>[0],
): Promise<ActivityEntry[]> {
  return (await activity.listActivity(query)).entries
}

/** A query that matches all rejected pushes. */
export const ANY_REJECTED = {
  platform: null,
  code: null,
  record_type: null,
  cause: null,
  state: null,
  pull_id: null,
  request_id: null,
  since: null,
  maxBytes: 1_000_000_000,
}

/** Parses JSON text without changing its numbers. */
export function json(text: string): JsonObject {
  const value = parseLossless(text)
  assert.ok(isJsonObject(value))
  return value
}

/** JSON text as the hub stores it. */
export function normalize(text: string): string {
  return stringifyLossless(json(text))
}

export type PushOverrides = Partial<Omit<PushedContent, 'data'>> & {
  record_type?: string
  reference?: string
  data?: string
  request_id?: string
}

/** By default a POST of r-1 in `students`. `data` is JSON text. */
export function pushWrite(platform: TestPlatform, overrides: PushOverrides = {}): PushWrite {
  const { source = 'POST', full_name = source === 'POST' ? 'Ann' : null } = overrides
  return {
    platform_id: platform.platform_id,
    hub_key_id: platform.hub_key_id,
    record_type: overrides.record_type ?? 'students',
    reference_number: overrides.reference ?? 'r-1',
    request_id: overrides.request_id ?? 'request-1',
    content: {
      source,
      full_name,
      data: normalize(overrides.data ?? '{}'),
      occurred_at: overrides.occurred_at ?? null,
    },
  }
}

/** An accepted push in the request log; null for a request without a valid key. */
export function loggedRequest(
  platform: TestPlatform | null,
  overrides: Partial<LoggedRequest> = {},
): LoggedRequest {
  return {
    at: '2026-03-10T08:20:00.000Z',
    platform_id: platform?.platform_id ?? null,
    ...{ method: 'POST', path: '/api/webhook/receive', status: 201, latency_us: 1500, size: 20 },
    ...{ record_type: 'students', reference_number: 'r-1', outcome: 'created', record_id: null },
    ...{ request_id: 'request-1', key_hint: 'rhk_wro…', address: '192.0.2.1', skipped: 0 },
    details: null,
    ...overrides,
  }
}

/** One request with an invalid key, from an address that ends with the number. */
export function pushErrorAt(
  at: string,
  number = 1,
  overrides: Partial<PushErrorCount> = {},
): PushErrorCount {
  return {
    hour: at.slice(0, 13),
    reason: 'key_invalid',
    platform_id: null,
    key_hint: 'rhk_wro…',
    address: `192.0.2.${number}`,
    requests: 1,
    last_at: at,
    request_id: `request-${number}`,
    ...overrides,
  }
}

/** The limit of batches, as `HUB_MAX_RECORD_KEYS` has it by default. */
export const MAX_RECORD_KEYS = 5000

/** Applies writes as one batch at the time of the clock. */
export function write(
  { storage, clock }: StorageContext,
  ...writes: RecordWrite[]
): Promise<WriteOutcome[]> {
  return storage.records.applyWrites({
    ...{ at: clock.text, day: clock.day, maxRecordKeys: MAX_RECORD_KEYS },
    writes,
  })
}

/** The outcome of each write: `created`, …, or the code of its rejection. */
export function outcomesOf(outcomes: WriteOutcome[]): string[] {
  return outcomes.map((one) => (one.outcome === 'rejected' ? one.code : one.outcome))
}

/** Applies one write that must be accepted. */
export async function writeOne(
  kit: StorageContext,
  one: RecordWrite,
): Promise<Exclude<WriteOutcome, { outcome: 'rejected' }>> {
  const outcome = only(await write(kit, one))
  if (outcome.outcome === 'rejected') throw new Error(`The write was rejected: ${outcome.code}`)
  return outcome
}

export async function readRecord(storage: Storage, recordId: number): Promise<RecordRow> {
  const record = await storage.records.readRecord(recordId)
  assert.ok(record, 'The record does not exist')
  return record
}

/** A query of all records, by default sorted by `record_id`, with a long time limit. */
export function recordQuery(overrides: Partial<RecordQuery> = {}): RecordQuery {
  return {
    ...NO_FILTER,
    sort: 'record_id',
    descending: false,
    scope: null,
    limit: 10_000,
    after: null,
    backwards: false,
    scan_ms: 600_000,
    ...overrides,
  }
}

export async function listPage(
  storage: Storage,
  overrides: Partial<RecordQuery> = {},
): Promise<RecordPage> {
  const page = await storage.records.listRecords(recordQuery(overrides))
  assert.equal(page.outcome, 'listed')
  return page
}

export async function listRecords(
  storage: Storage,
  overrides: Partial<RecordQuery> = {},
): Promise<RecordRow[]> {
  return (await listPage(storage, overrides)).records
}

export async function listHistory(storage: Storage, recordId: number): Promise<HistoryRow[]> {
  const query = { record_id: recordId, limit: 1000, maxBytes: 1_000_000_000, before: null }
  return (await storage.records.listHistory(query)).entries
}

/** The only element of a list. */
export function only<Item>(items: Item[]): Item {
  const [item] = items
  assert.equal(items.length, 1, 'The list does not have exactly one element')
  assert.ok(item !== undefined)
  return item
}

/** Reads pages, each from the last row of the previous one, until one is not full. */
export async function readPages<Row>(
  limit: number,
  readPage: (last: Row | undefined) => Promise<Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await readPage(rows.at(-1))
    assert.ok(page.length <= limit, 'A page is longer than its limit')
    rows.push(...page)
    if (page.length < limit) return rows
    assert.ok(rows.length < 10_000, 'The pages do not end')
  }
}
