import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { paginate } from './pagination.ts'

describe('pagination', () => {
  it('returns each row once and in order when the cursors are followed', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 12 }), (count, limit) => {
        const rows = Array.from({ length: count }, (_, index) => ({ id: index + 1 }))
        const met: number[] = []
        let after = 0
        for (;;) {
          const found = rows.filter(({ id }) => id > after).slice(0, limit + 1)
          const { page, next_cursor } = paginate(found, limit, ({ id }) => id)
          met.push(...page.map(({ id }) => id))
          if (next_cursor === null) break
          assert.equal(page.length, limit)
          after = Number(next_cursor)
        }
        assert.deepEqual(
          met,
          rows.map(({ id }) => id),
        )
      }),
    )
  })
})
