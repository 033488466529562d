/** The storage of login attempts, and the write protection of the audit log. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MOST_GUESS_SUBJECTS } from '../../../src/storage/port/login-throttle-store.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import { countRows, runSql } from '../../helpers/storage/sql.ts'

const AT = '2026-03-10T08:00:00.000Z'
const LATER = '2026-03-10T09:00:00.000Z'
const free = () => 0

onEachEngine((engine) => {
  describe(`the login throttle on ${engine.name}`, () => {
    test(
      'attempts are counted per subject, and the counts are passed to the decision',
      withStorage(engine, async ({ storage: { guesses } }) => {
        const first = await guesses.countGuess(['a', 'b'], AT, (counts) => counts.size)
        assert.ok(first.outcome === 'counted')
        assert.deepEqual(Object.fromEntries(first.counts), {
          a: { tries: 1, at: AT },
          b: { tries: 1, at: AT },
        })
        const second = await guesses.countGuess(['b', 'c'], LATER, (counts) => {
          assert.deepEqual(Object.fromEntries(counts), { b: { tries: 1, at: AT } })
          return 0
        })
        assert.ok(second.outcome === 'counted')
        assert.deepEqual(second.counts.get('b'), { tries: 2, at: LATER })
      }),
    )

    test(
      'a rejected attempt stores nothing',
      withStorage(engine, async ({ storage }) => {
        const { guesses } = storage
        await guesses.countGuess(['a'], AT, free)
        const outcome = await guesses.countGuess(['a', 'b'], LATER, () => 30)
        assert.deepEqual(outcome, { outcome: 'wait', seconds: 30 })
        const rows = await runSql(storage, 'SELECT subject, tries, at FROM guesses')
        assert.deepEqual(
          rows.map((row) => ({ ...row })),
          [{ subject: 'a', tries: 1, at: AT }],
        )
      }),
    )

    test(
      'concurrent attempts do not exceed the limit',
      withStorage(engine, async ({ storage: { guesses } }) => {
        const outcomes = await Promise.all(
          Array.from({ length: 20 }, () =>
            guesses.countGuess(['a'], AT, (counts) => ((counts.get('a')?.tries ?? 0) < 5 ? 0 : 30)),
          ),
        )
        const counted = outcomes.filter(({ outcome }) => outcome === 'counted')
        assert.equal(counted.length, 5)
      }),
    )

    test(
      'attempts are refunded one at a time or reset for a whole subject',
      withStorage(engine, async ({ storage }) => {
        const { guesses } = storage
        for (let round = 0; round < 3; round++) await guesses.countGuess(['a', 'b'], AT, free)
        await guesses.countGuess(['c'], AT, free)
        await guesses.forgiveGuess(['a'], ['b', 'c', 'none'])
        const rows = await runSql(storage, 'SELECT subject, tries FROM guesses')
        assert.deepEqual(
          rows.map((row) => ({ ...row })),
          [{ subject: 'b', tries: 2 }],
        )
      }),
    )

    test(
      'the number of subjects is limited, and repeated attempts do not evict a subject earlier',
      withStorage(engine, async ({ storage }) => {
        const { guesses } = storage
        await guesses.countGuess(['first'], AT, free)
        await guesses.countGuess(['second'], AT, free)
        for (let round = 0; round < 20; round++) await guesses.countGuess(['second'], AT, free)
        // Simulates that many subjects in between.
        await runSql(
          storage,
          `INSERT INTO guesses (guess_id, subject, tries, at)
           VALUES (${MOST_GUESS_SUBJECTS}, 'late', 1, '${AT}')`,
        )
        await guesses.countGuess(['late'], AT, free)
        assert.equal(await countRows(storage, 'guesses'), 3)
        await runSql(
          storage,
          `UPDATE guesses SET guess_id = ${MOST_GUESS_SUBJECTS + 1} WHERE subject = 'late'`,
        )
        await guesses.countGuess(['late'], AT, free)
        const rows = await runSql(storage, 'SELECT subject FROM guesses ORDER BY guess_id')
        assert.deepEqual(
          rows.map((row) => row['subject']),
          ['second', 'late'],
        )
      }),
    )
  })

  describe(`the audit log on ${engine.name}`, () => {
    test(
      'the database rejects every update of an entry',
      withStorage(engine, async ({ storage }) => {
        const entry = { actor: 'ann', action: 'x.y', target: null, address: null }
        await storage.activity.appendAudit(entry)
        await assert.rejects(runSql(storage, `UPDATE audit SET actor = 'eve'`), /cannot be changed/)
        const [kept] = await runSql(storage, 'SELECT actor FROM audit')
        assert.equal(kept?.['actor'], 'ann')
      }),
    )
  })
})
