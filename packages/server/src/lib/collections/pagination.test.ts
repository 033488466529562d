import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Type from 'typebox'
import { fc } from '../../../test/helpers/random/fast-check.ts'
import { CursorInteger, createCursorCodec, InvalidCursorError, paginate } from './pagination.ts'

describe('pagination', () => {
  it('returns each row once and in order when the cursors are followed', () => {
    fc.assert(
      fc.property(fc.nat(50), fc.integer({ min: 1, max: 12 }), (count, limit) => {
        const rows = Array.from({ length: count }, (_, index) => ({ id: index + 1 }))
        const seen: number[] = []
        let after = 0
        for (;;) {
          const found = rows.filter(({ id }) => id > after).slice(0, limit + 1)
          const { page, next_cursor } = paginate(found, limit, ({ id }) => id)
          seen.push(...page.map(({ id }) => id))
          if (next_cursor === null) break
          assert.equal(page.length, limit)
          after = Number(next_cursor)
        }
        assert.deepEqual(
          seen,
          rows.map(({ id }) => id),
        )
      }),
    )
  })
})

describe('cursors', () => {
  const codec = createCursorCodec(Type.Object({ name: Type.String(), id: CursorInteger }))

  it('decode to the position that was encoded, and are safe in a URL', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.maxSafeInteger(), (name, id) => {
        const cursor = codec.encode({ name, id })
        assert.match(cursor, /^[\w-]+$/)
        assert.deepEqual(codec.decode(cursor), { name, id })
      }),
    )
  })

  it('are rejected if they belong to another list, or are not JSON', () => {
    const encode = (text: string) => Buffer.from(text).toString('base64url')
    const texts = [
      '',
      '{',
      'null',
      '{"name":"a"}',
      '{"name":"a","id":1.5}',
      '{"name":"a","id":1e400}',
    ]
    for (const cursor of ['x', ...texts.map(encode)]) {
      assert.throws(() => codec.decode(cursor), InvalidCursorError)
    }
  })
})
