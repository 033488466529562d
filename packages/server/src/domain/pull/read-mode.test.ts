import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type DigestHistory, planReadMode } from './read-mode.ts'

const NOW = new Date('2026-03-10T12:00:00Z')
const HOUR_MS = 3_600_000
const HISTORY: DigestHistory = {
  verified_at: null,
  verified_by: null,
  withdrawn_at: null,
  unversioned: 0,
  unsupported_at: null,
  unsupported_manifest_hash: null,
  unstable_at: null,
  unstable_manifest_hash: null,
  asked_at: ago(1),
  digest_ms: 10,
  digest_failed_at: null,
  list_failed_at: null,
}

function ago(hours: number): string {
  return new Date(NOW.getTime() - hours * HOUR_MS).toISOString()
}

/** How a module is read that was last read in full so many hours ago. */
function plan(
  hours: number | null,
  history: Partial<DigestHistory> = {},
  options: {
    requested?: 'full' | 'digest'
    isUrgent?: boolean
    isReviewApproved?: boolean
    fullPullHours?: number
  } = {},
) {
  const found = planReadMode({
    requested: 'auto',
    isUrgent: false,
    isReviewApproved: false,
    // Its moment for a full read is at 0:00.
    module_id: 0,
    full_read_at: hours === null ? null : ago(hours),
    history: { ...HISTORY, ...history },
    manifest: 'm',
    now: NOW,
    fullPullHours: 24,
    ...options,
  })
  return 'because' in found ? `${found.read}: ${found.because}` : found.read
}

test('a module whose elements have versions is compared by digest until its full read is due', () => {
  assert.equal(plan(2), 'digest')
  assert.equal(plan(null), 'list: first')
  assert.equal(plan(30), 'list: due')
  assert.equal(plan(2, {}, { requested: 'full' }), 'list: operator')
  assert.equal(plan(2, {}, { isReviewApproved: true }), 'list: operator')
  assert.equal(plan(30, {}, { requested: 'digest' }), 'digest')
})

test('where digests verify and nothing withdraws the claim, the full read is due once a week', () => {
  const verified = { verified_at: ago(1), verified_by: 'digest' } as const
  assert.equal(plan(30, verified), 'digest')
  assert.equal(plan(8 * 24, verified), 'list: due')
  assert.equal(plan(30, { ...verified, withdrawn_at: ago(30) }), 'list: due')
  assert.equal(plan(30, { ...verified, unversioned: 1 }), 'list: due')
  assert.equal(plan(30, { ...verified, verified_at: ago(40) }), 'list: due')
  // Digests that no longer verify.
  assert.equal(plan(60, { ...verified, verified_at: ago(25) }), 'list: due')
})

test('a module without versions is read as before there were digests', () => {
  const none = { unversioned: null, asked_at: null, digest_ms: null }
  assert.equal(plan(0.1, none), 'list: no_digest')
  assert.equal(plan(2, none, { requested: 'digest' }), 'list: no_digest')
})

test('a digest that cannot be used leads to at most one full read an hour', () => {
  for (const [history, because] of [
    [{ unversioned: 3 }, 'no_digest'],
    [{ unstable_at: ago(5), unstable_manifest_hash: 'm' }, 'not_stable'],
    [{ unsupported_at: ago(5), unsupported_manifest_hash: 'm' }, 'no_digest'],
  ] as const) {
    assert.equal(plan(0.9, history), `nothing: ${because}`)
    assert.equal(plan(1.1, history), `list: ${because}`)
  }
  assert.equal(plan(0.9, { unstable_at: ago(5), unstable_manifest_hash: 'old' }), 'digest')
  assert.equal(plan(0.9, { unsupported_at: ago(5), unsupported_manifest_hash: 'old' }), 'digest')
  assert.equal(plan(0.9, { unsupported_at: ago(25), unsupported_manifest_hash: 'm' }), 'digest')
})

test('where the platform offers a digest, the list is read at most once an hour, also if it is due or has failed', () => {
  const due = { fullPullHours: 1 }
  assert.equal(plan(0.9, {}, due), 'digest', 'the moment of the module is now')
  assert.equal(plan(1.1, {}, due), 'list: due')
  assert.equal(plan(0.9, { asked_at: null, digest_ms: null }, due), 'list: due')
  assert.equal(plan(30, { list_failed_at: ago(0.9) }), 'digest')
  assert.equal(plan(30, { list_failed_at: ago(1.1) }), 'list: due')
  const unstable = { unstable_at: ago(5), unstable_manifest_hash: 'm' }
  assert.equal(plan(30, { ...unstable, list_failed_at: ago(0.9) }), 'nothing: not_stable')
})

test('a digest that takes 4 s is requested every 80 s', () => {
  const askedAgo = (seconds: number) => ({ asked_at: ago(seconds / 3600), digest_ms: 4000 })
  assert.equal(plan(2, askedAgo(79)), 'nothing: digest_not_due')
  assert.equal(plan(2, askedAgo(81)), 'digest')
  assert.equal(plan(2, askedAgo(79), { requested: 'digest' }), 'digest')
  assert.equal(plan(2, askedAgo(79), { isUrgent: true }), 'digest')
  const failed = { ...askedAgo(79), digest_failed_at: askedAgo(79).asked_at }
  assert.equal(plan(2, failed), 'list: no_digest', 'its last comparison failed')
  assert.equal(plan(0.9, failed), 'nothing: digest_not_due')
  assert.equal(plan(2, { asked_at: ago(-1), digest_ms: 4000 }), 'digest', 'the clock was set back')
})
