import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ModuleCompleteness, PlatformSummary } from '@recordhub/protocol'
import { sumByPlatform, total, unequalRows } from './completeness-sums.ts'

const AT = '2026-11-25T12:48:00.000Z'
const LATER = '2026-11-25T13:00:00.000Z'

const platform = (platform_name: string, over: Partial<PlatformSummary> = {}): PlatformSummary => ({
  ...{ id: 1, platform_name, platform_title: '', display_title: platform_name },
  ...{ platform_description: '', connection_type: 'dynamic_api', source_base_url: '' },
  ...{ status: 'active', health: { state: 'healthy', reasons: [] }, modules_registered: 1 },
  ...{ records: 0, manifest_fetched_at: null, latest_sync_at: null, last_push_at: null },
  ...{ hub_api_key_hint: null, last_error: null, missing_reviews: 0, rejected_pushes: 0 },
  ...over,
})

/** By default a module that is equal: 10 records. */
const module = (
  platform_name: string,
  over: Partial<ModuleCompleteness> = {},
): ModuleCompleteness => ({
  ...{ module_id: 1, platform_name, module_name: 'Cases', record_type: 'cases' },
  ...{ complete_at: AT, confirmed_at: null, confirmed_by: null, last_read_at: LATER },
  ...{ verified_at: AT, verified_by: 'read', verified: null, digest: null },
  ...{ incomplete_reasons: [], last_error: null, last_warning: null },
  ...{ listed: 10, records: 10, missing: 0, accepted: 0, held: 0, pushed_since: 0, only_here: 0 },
  ...over,
})

const PLATFORMS = [platform('museum'), platform('old', { status: 'inactive' })]
const sumOf = (...modules: ModuleCompleteness[]) =>
  total(sumByPlatform(modules, PLATFORMS).values())

test('newer pushes, accepted exceptions and records marked as missing do not make a module unequal', () => {
  const modules = [
    module('museum', { records: 12, pushed_since: 2, only_here: 2 }),
    module('museum', { listed: 14, accepted: 4, records: 11, missing: 1 }),
    module('old', { listed: 500 }),
  ]
  const { listed, here, accepted, newerPushes, comparedAt } = sumOf(...modules)
  assert.deepEqual([listed, here, accepted, newerPushes, comparedAt], [20, 20, 4, 2, AT])
  assert.deepEqual(unequalRows(modules, PLATFORMS), [])
})

test('a module with rejected records lacks them, and one with undecided records has more', () => {
  const modules = [
    module('museum', { listed: 14, incomplete_reasons: ['rejected'] }),
    module('museum', { listed: 4, only_here: 6, incomplete_reasons: ['missing_undecided'] }),
  ]
  const rows = unequalRows(modules, PLATFORMS)
  assert.deepEqual(
    rows.map(({ listed, here, difference, why }) => [listed, here, difference, why]),
    [
      [14, 10, -4, 'rejected'],
      [4, 10, 6, 'missing_undecided'],
    ],
  )
  const { listed, here, missing, comparedAt } = sumOf(...modules)
  assert.deepEqual([listed, here, missing, comparedAt], [18, 14, 6, LATER])
})

test('a module that only a digest has verified is equal unless something is not in the hub', () => {
  const digest = { complete_at: null, verified_at: LATER, verified_by: 'digest' } as const
  assert.deepEqual(unequalRows([module('museum', digest)], PLATFORMS), [])
  assert.equal(sumOf(module('museum', digest)).comparedAt, LATER)
  const rejected = module('museum', { ...digest, listed: 11, incomplete_reasons: ['rejected'] })
  const [row] = unequalRows([rejected], PLATFORMS)
  assert.deepEqual([row?.difference, row?.why, row?.verifiedAt], [-1, 'rejected', LATER])
})

test('records whose values a revert holds are counted, though all are here', () => {
  const held = module('museum', { held: 3, incomplete_reasons: ['held'] })
  const sums = sumOf(held, module('museum', { held: 1, incomplete_reasons: ['held'] }))
  assert.deepEqual([sums.here, sums.listed, sums.held, sums.unequal], [20, 20, 4, 2])
  const [row] = unequalRows([held], PLATFORMS)
  assert.deepEqual([row?.difference, row?.why], [0, 'held'])
})

test('the modules of a platform that cannot be read are one row, and are not in the sums', () => {
  const modules = [
    module('museum', { last_error: 'HTTP 503' }),
    module('museum', { last_error: 'HTTP 503', complete_at: null, verified_at: null }),
    module('museum', { listed: null, complete_at: null, verified_at: null, last_read_at: null }),
  ]
  const [failed, unread, ...more] = unequalRows(modules, PLATFORMS)
  assert.deepEqual([failed?.why, failed?.modules, failed?.here], ['failed', 2, 20])
  // One of them was never verified.
  assert.equal(failed?.verifiedAt, null)
  assert.deepEqual([unread?.why, unread?.modules, more.length], ['unread', 1, 0])
  const { listed, unread: unreadCount } = sumOf(...modules)
  assert.deepEqual([listed, unreadCount], [0, 1])
})
