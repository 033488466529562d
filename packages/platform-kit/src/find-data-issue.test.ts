import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../server/test/helpers/random/fast-check.ts'
import { findDataIssue } from './find-data-issue.ts'

function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) }
}

test('a value that JSON can represent is accepted', () => {
  const data = fc
    .dictionary(fc.string(), fc.jsonValue({ maxDepth: 5 }))
    .filter((value) => !JSON.stringify(value).includes('"__proto__"'))
  fc.assert(
    fc.property(data, (value) => {
      assert.equal(findDataIssue(value, 'issue'), null)
    }),
  )
  const at = new Date()
  const own = { toJSON: () => '1.10' }
  assert.equal(findDataIssue({ at, own, list: [null, { at }], '\ud800': '\u0000' }, 'issue'), null)
  assert.equal(findDataIssue(nested(63), 'issue'), null)
})

test('a value that JSON cannot represent is reported with its path', () => {
  const circle: Record<string, unknown> = {}
  circle['self'] = circle
  const cases: [unknown, RegExp][] = [
    [null, /^data is not an object$/],
    ['text', /^data is not an object$/],
    [[], /^data is not an object$/],
    [{ a: 1n }, /^data\.a is a BigInt/],
    [{ a: [1, { b: undefined }] }, /^data\.a\[1\]\.b is undefined/],
    [{ a: new Array(1) }, /^data\.a\[0\] is undefined/],
    [{ a: () => 1 }, /^data\.a is a function/],
    [{ a: Symbol('s') }, /^data\.a is a symbol/],
    [{ a: Number.NaN }, /^data\.a is NaN/],
    [{ a: -Infinity }, /^data\.a is -Infinity/],
    [{ a: new Date('x') }, /^data\.a is an invalid Date/],
    [{ a: new Map() }, /^data\.a is a Map/],
    [{ a: new Set() }, /^data\.a is a Set/],
    [{ a: new Uint8Array(2) }, /^data\.a is binary/],
    [{ a: Buffer.from('x') }, /^data\.a is binary/],
    [{ a: Promise.resolve(1) }, /^data\.a is a Promise/],
    [{ a: { toJSON: () => 1n } }, /^data\.a is a BigInt/],
    [JSON.parse('{"a":{"__proto__":1}}'), /^data\.a has a key __proto__/],
    [nested(64), /too deeply/],
    [circle, /too deeply/],
  ]
  for (const [data, message] of cases) {
    assert.match(findDataIssue(data, 'issue') ?? 'none', message)
  }
  assert.equal(findDataIssue({ a: undefined }, 'omitted'), null)
})
