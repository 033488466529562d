import assert from 'node:assert/strict'
import { parseLossless, stringifyLossless } from '@recordhub/protocol/lossless-json'
import { isStorableText } from '../../../src/lib/text/code-points.ts'
import { codePoint, fc } from '../../helpers/random/fast-check.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite } from '../../helpers/storage/fixtures.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { rounds } from '../../helpers/time/tier.ts'

/** Texts that a database could confuse: by case, whitespace, accents, width, collation or type. */
const SIMILAR = [
  'a',
  'A',
  'a ',
  ' a',
  'a\t',
  'a\u00a0',
  'a\u200b',
  '\u00e9',
  'e\u0301',
  'e',
  'ß',
  'ss',
  'ﬁ',
  'fi',
  'İ',
  'ı',
  'ａ',
  '1',
  '01',
  '1.0',
  '1e0',
  'null',
  '%',
  '_',
  "'",
  '\\',
  '😀',
  '\ufffd',
]

test('numbers are stored in their exact notation', async (kit) => {
  const school = await kit.register()
  const data =
    '{"price":1.10,"big":12345678901234567890,"past":9007199254740993,"e":1e2,"E":-1.5E-30,' +
    '"zero":-0,"list":[1.0,{"deep":0.1000}],"huge":1e400,"plain":42}'
  const { record_id } = await school.post({ data })
  assert.equal((await kit.record(record_id)).data, data)
  const read = await school.startRead({ manifest_keys: ['x'] })
  await kit.write(pullWrite(read, { reference: 'pulled', data }))
  const [pulled] = await kit.records({ reference_number: 'pulled' })
  assert.equal(pulled?.data, data)
})

test('a number in a different notation is a change, and the same notation is not', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ data: '{"a":1.1}' })
  for (const [data, outcome] of [
    ['{"a":1.10}', 'updated'],
    ['{"a":1.10}', 'unchanged'],
    ['{"a":9007199254740993}', 'updated'],
    ['{"a":9007199254740992}', 'updated'],
    ['{"a":"9007199254740992"}', 'updated'],
  ] as const) {
    assert.equal((await school.post({ data })).outcome, outcome, data)
    assert.equal((await kit.record(record_id)).data, data)
  }
})

test('a PATCH does not change the notation of numbers in other keys', async (kit) => {
  const school = await kit.register()
  const data = '{"price":1.10,"big":12345678901234567890}'
  const { record_id } = await school.post({ data })
  await school.patch({ data: '{"b":2.50}' })
  const record = await kit.record(record_id)
  assert.equal(record.data, '{"price":1.10,"big":12345678901234567890,"b":2.50}')
})

test('U+0000, lone surrogates and unusual keys are preserved in data', async (kit) => {
  const school = await kit.register()
  const text =
    '{"nul":"a\\u0000b","high":"\\ud800","low":"\\udc00x","\\u0000":1,"":2,"\\udfff":3,"constructor":4,"é😀":"é😀\u2028"}'
  const { record_id } = await school.post({ data: text })
  const stored = await kit.record(record_id)
  assert.deepEqual(parseLossless(stored.data), parseLossless(text))
  assert.equal((await school.post({ data: text })).outcome, 'unchanged')
  const changed = { source: 'PATCH', data: '{"high":"\\ud801"}' } as const
  assert.equal((await kit.writeOne(pushWrite(school, changed))).outcome, 'updated')
})

test('one megabyte of data is read back unchanged', async (kit) => {
  const school = await kit.register()
  const data = JSON.stringify({ a: 'é'.repeat(500_000), b: '😀'.repeat(10_000) })
  const { record_id } = await school.post({ data })
  assert.equal((await kit.record(record_id)).data, data)
})

test('similar references are different records, which are found only by their exact bytes', async (kit) => {
  const school = await kit.register()
  const pushes = SIMILAR.map((reference) =>
    pushWrite(school, {
      reference,
      full_name: reference,
      data: JSON.stringify({ reference }),
    }),
  )
  const created = await kit.outcomesOf(...pushes)
  assert.deepEqual(
    created,
    SIMILAR.map(() => 'created'),
  )
  assert.deepEqual(
    await kit.outcomesOf(...pushes),
    SIMILAR.map(() => 'unchanged'),
  )
  for (const reference of SIMILAR) {
    const found = only(await kit.records({ reference_number: reference }))
    assert.equal(found.reference_number, reference)
    assert.equal(found.full_name, reference)
  }
  assert.deepEqual(await kit.records({ reference_number: 'À' }), [])
})

test('similar references are not duplicates in a pull', async (kit) => {
  const school = await kit.register()
  const read = await school.startRead()
  const elements = SIMILAR.map((reference) => pullWrite(read, { reference }))
  assert.deepEqual(
    await kit.outcomesOf(...elements),
    SIMILAR.map(() => 'created'),
  )
  assert.equal(read.read.seen.size, SIMILAR.length)
})

test('a reference is limited to 512 bytes, regardless of its number of characters', async (kit) => {
  const school = await kit.register()
  const references = ['x'.repeat(512), 'é'.repeat(256), '😀'.repeat(128)]
  const fitting = references.map((reference) => pushWrite(school, { reference }))
  assert.deepEqual(await kit.outcomesOf(...fitting), ['created', 'created', 'created'])
  for (const reference of references) {
    const tooLong = pushWrite(school, { reference: `${reference}x` })
    assert.deepEqual(await kit.outcomesOf(tooLong), ['record_not_storable'])
    only(await kit.records({ reference_number: reference }))
  }
})

test('any JSON with any reference and name is read back unchanged', async (kit) => {
  const school = await kit.register()
  const text = fc.string({ unit: codePoint, maxLength: 128 }).filter(isStorableText)
  const anyRecord = fc.record({
    reference: text.filter((reference) => reference.length > 0),
    full_name: text,
    data: fc.dictionary(
      fc.string({ unit: codePoint }).filter((key) => key !== '__proto__'),
      fc.jsonValue({ stringUnit: codePoint, maxDepth: 2 }),
      { maxKeys: 6 },
    ),
  })
  await fc.assert(
    fc.asyncProperty(anyRecord, async ({ reference, full_name, data }) => {
      const sent = JSON.stringify(data)
      const push = pushWrite(school, { reference, full_name, data: sent })
      const { record_id } = await kit.writeOne(push)
      const record = await kit.record(record_id)
      assert.equal(record.reference_number, reference)
      assert.equal(record.full_name, full_name)
      assert.equal(record.data, stringifyLossless(parseLossless(sent)))
    }),
    { numRuns: rounds(10, 150) },
  )
})
