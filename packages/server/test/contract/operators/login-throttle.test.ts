import assert from 'node:assert/strict'
import { MAX_THROTTLED_SUBJECTS } from '../../../src/storage/port/operator-store.ts'
import { test } from '../../helpers/storage/engines.ts'

const AT = '2026-03-10T08:00:00.000Z'
const LATER = '2026-03-10T09:00:00.000Z'
const allow = () => 0

test('attempts are counted per subject, and the previous counts are passed to the decision', async ({
  storage: { loginThrottle },
}) => {
  const first = await loginThrottle.countAttempt(['a', 'b'], AT, (counts) => counts.size)
  assert.ok(first.outcome === 'counted')
  assert.deepEqual(Object.fromEntries(first.counts), {
    a: { attempts: 1, at: AT },
    b: { attempts: 1, at: AT },
  })
  const second = await loginThrottle.countAttempt(['b', 'c'], LATER, (counts) => {
    assert.deepEqual(Object.fromEntries(counts), { b: { attempts: 1, at: AT } })
    return 0
  })
  assert.ok(second.outcome === 'counted')
  assert.deepEqual(second.counts.get('b'), { attempts: 2, at: LATER })
})

test('a rejected attempt stores nothing', async (kit) => {
  const { storage } = kit
  const { loginThrottle } = storage
  await loginThrottle.countAttempt(['a'], AT, allow)
  const outcome = await loginThrottle.countAttempt(['a', 'b'], LATER, () => 30)
  assert.deepEqual(outcome, { outcome: 'wait', seconds: 30 })
  const rows = await kit.runSql('SELECT subject, attempts, last_attempt_at FROM login_attempts')
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ subject: 'a', attempts: 1, last_attempt_at: AT }],
  )
})

test('concurrent attempts do not exceed the limit', async ({ storage: { loginThrottle } }) => {
  const outcomes = await Promise.all(
    Array.from({ length: 20 }, () =>
      loginThrottle.countAttempt(['a'], AT, (counts) =>
        (counts.get('a')?.attempts ?? 0) < 5 ? 0 : 30,
      ),
    ),
  )
  const counted = outcomes.filter(({ outcome }) => outcome === 'counted')
  assert.equal(counted.length, 5)
})

test('attempts are refunded one at a time or reset for a whole subject', async (kit) => {
  const { storage } = kit
  const { loginThrottle } = storage
  for (let round = 0; round < 3; round++) await loginThrottle.countAttempt(['a', 'b'], AT, allow)
  await loginThrottle.countAttempt(['c'], AT, allow)
  await loginThrottle.refundAttempt({ reset: ['a'], refund: ['b', 'c', 'none'] })
  const rows = await kit.runSql('SELECT subject, attempts FROM login_attempts')
  assert.deepEqual(
    rows.map((row) => ({ ...row })),
    [{ subject: 'b', attempts: 2 }],
  )
})

test('the number of subjects is limited, and the subject with the oldest first attempt is deleted', async (kit) => {
  const { storage } = kit
  const { loginThrottle } = storage
  await loginThrottle.countAttempt(['first'], AT, allow)
  await loginThrottle.countAttempt(['second'], AT, allow)
  for (let round = 0; round < 20; round++) await loginThrottle.countAttempt(['second'], AT, allow)
  // Simulates that many subjects in between.
  await kit.runSql(`INSERT INTO login_attempts (login_attempt_id, subject, attempts, last_attempt_at)
           VALUES (${MAX_THROTTLED_SUBJECTS}, 'late', 1, '${AT}')`)
  await loginThrottle.countAttempt(['late'], AT, allow)
  assert.equal(await kit.countRows('login_attempts'), 3)
  await kit.runSql(
    `UPDATE login_attempts SET login_attempt_id = ${MAX_THROTTLED_SUBJECTS + 1} WHERE subject = 'late'`,
  )
  await loginThrottle.countAttempt(['late'], AT, allow)
  const rows = await kit.runSql('SELECT subject FROM login_attempts ORDER BY login_attempt_id')
  assert.deepEqual(
    rows.map((row) => row['subject']),
    ['second', 'late'],
  )
})
