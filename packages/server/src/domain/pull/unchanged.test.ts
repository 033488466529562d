import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  conditionalHeaders,
  findValidators,
  isCacheable,
  isFullReadDue,
  readFingerprint,
} from './unchanged.ts'

const DATE = 'Tue, 10 Mar 2026 08:00:00 GMT'
const OLD = 'Tue, 10 Mar 2026 07:59:59 GMT'
const NONE = { etag: '', last_modified: '', date: DATE }

test('valid validators are sent back unchanged', () => {
  for (const etag of ['"a"', 'W/"a-1"', '""', `"${'x'.repeat(500)}"`]) {
    const found = findValidators({ ...NONE, etag, last_modified: OLD })
    assert.deepEqual(found, { etag, last_modified: OLD })
    assert.deepEqual(conditionalHeaders(found), { 'If-None-Match': etag, 'If-Modified-Since': OLD })
  }
})

test('an invalid ETag is ignored', () => {
  for (const etag of ['', '*', 'a', '"a', '"a" , "b"', 'w/"a"', '"é"', '"a\n"', '"a b"']) {
    assert.equal(findValidators({ ...NONE, etag }), null, etag)
  }
  assert.equal(findValidators({ ...NONE, etag: `"${'x'.repeat(501)}"` }), null)
})

test('a Last-Modified that is invalid or not older than the response is ignored', () => {
  for (const last_modified of [
    '',
    'yesterday',
    '2026-03-10',
    DATE,
    'Wed, 11 Mar 2026 08:00:00 GMT',
  ]) {
    assert.equal(findValidators({ ...NONE, last_modified }), null, last_modified)
  }
  assert.equal(findValidators({ etag: '', last_modified: OLD, date: '' }), null)
})

test('the fingerprint changes with the manifest and with the source', () => {
  const fingerprints = [
    readFingerprint({ manifest_hash: 'a', source_base_url: 'https://a' }),
    readFingerprint({ manifest_hash: 'b', source_base_url: 'https://a' }),
    readFingerprint({ manifest_hash: 'a', source_base_url: 'https://b' }),
  ]
  assert.equal(new Set(fingerprints).size, 3)
})

test('only a complete read of one page without problems is cached', () => {
  const clean = { isComplete: true, pages: 1, stale: 0, held: 0, rejected: 0, warnings: 0 }
  assert.equal(isCacheable(clean), true)
  for (const over of [
    { isComplete: false },
    { pages: 2 },
    { pages: 0 },
    { stale: 1 },
    { held: 1 },
    { rejected: 1 },
    { warnings: 1 },
  ]) {
    assert.equal(isCacheable({ ...clean, ...over }), false, JSON.stringify(over))
  }
})

test('each module is read in full once in a period, and few modules in the same minute', () => {
  const MINUTE = 60_000
  const start = Date.parse('2026-03-10T00:00:00Z')
  const perMinute = new Map<number, number>()
  for (let module_id = 1; module_id <= 500; module_id++) {
    let full_read_at: string | null = new Date(start).toISOString()
    const reads: number[] = []
    for (let minute = 1; minute <= 2 * 24 * 60; minute++) {
      const now = new Date(start + minute * MINUTE)
      if (!isFullReadDue({ module_id, full_read_at }, { now, fullPullHours: 24 })) continue
      full_read_at = now.toISOString()
      reads.push(minute)
      perMinute.set(minute, (perMinute.get(minute) ?? 0) + 1)
    }
    const [first = 0, second = 0] = reads
    assert.deepEqual([reads.length, second - first], [2, 24 * 60])
  }
  assert.ok(Math.max(...perMinute.values()) <= 2)
})

test('a module without a full read, and one read in full after now, are due', () => {
  const now = new Date('2026-03-10T00:00:00Z')
  const isDue = (full_read_at: string | null) =>
    isFullReadDue({ module_id: 1, full_read_at }, { now, fullPullHours: 24 })
  assert.ok(isDue(null))
  assert.ok(isDue('2026-04-10T00:00:00Z'))
})
