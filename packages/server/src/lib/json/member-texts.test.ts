import assert from 'node:assert/strict'
import { test } from 'node:test'
import { canonicalText, parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { formatMembers, isSameText, readMemberTexts } from './member-texts.ts'

/** Few different keys and values, so that equal values are frequent. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom('null', 'true', '1', '1.0', '12', '21', '-0', '"a"', '"{\\"}]"', '"\\\\"'),
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join()}]`),
    tie('object'),
  ),
  object: fc
    .uniqueArray(fc.tuple(fc.constantFrom('a', 'b', '\\', 'c"}', '7', '10', '01'), tie('value')), {
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((members) => `{${members.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join()}}`),
}))

const stored = (text: unknown) => stringifyLossless(parseLossless(String(text)))

test('the texts of members are those of the parsed values', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string({ unit: codePoint }), value), (data) => {
      const texts = Object.entries(data).map(([key, one]) => [key, stored(one)] as const)
      const text = `{${texts.map(([key, one]) => `${JSON.stringify(key)}:${one}`).join()}}`
      assert.deepEqual([...readMemberTexts(text)], texts)
      const reversed = formatMembers(new Map(texts.toReversed()))
      assert.equal(reversed, stored(reversed))
      assert.ok(isSameText(reversed, stored(text)))
    }),
  )
})

test('two texts are the same if their canonical texts are', () => {
  const canonical = (text: string) => canonicalText(parseLossless(text))
  fc.assert(
    fc.property(value, value, (one, other) => {
      const [first, second] = [stored(one), stored(other)]
      assert.equal(isSameText(first, second), canonical(first) === canonical(second))
    }),
  )
  assert.ok(isSameText('{"a":1,"b":2}', '{"b":2,"a":1}'))
  assert.ok(!isSameText('{"a":1,"b":2}', '{"a":2,"b":1}'))
  assert.ok(isSameText(undefined, undefined) && !isSameText(undefined, 'null'))
})
