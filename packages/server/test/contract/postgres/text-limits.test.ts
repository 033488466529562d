/** Texts that PostgreSQL limits: JSON that `jsonb` rejects, which `record_json` repairs, and long names. */
import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { stringifyLossless } from '@recordhub/protocol/lossless-json'
import { Client } from 'pg'
import type { RecordRow } from '../../../src/storage/port/record-store.ts'
import { fc } from '../../helpers/random/fast-check.ts'
import { createSeededRandom, incompressibleText } from '../../helpers/random/seed.ts'
import { TestClock } from '../../helpers/storage/engine.ts'
import { json, outcomesOf, pushWrite, readPages } from '../../helpers/storage/fixtures.ts'
import {
  createKit,
  type KitPlatform,
  type StorageKit,
  withStorage,
} from '../../helpers/storage/kit.ts'
import { openTemporaryPostgres, postgresEngine } from '../../helpers/storage/postgres.ts'
import { sqliteEngine } from '../../helpers/storage/sqlite.ts'
import { isDeep, rounds } from '../../helpers/time/tier.ts'

type Kit = StorageKit & { client: Client; school: KitPlatform }

describe('the function record_json', () => {
  let kit: Kit
  let close: () => Promise<void>
  before(async () => {
    const opened = await openSchool()
    kit = opened.kit
    close = opened.close
  })
  after(() => close())

  const sameAsText: [string, string][] = [
    ['plain values', '{"a":1,"b":[true,null,"x"],"c":{"d":1.50}}'],
    ['a backslash before the letters u0000', '{"a":"\\\\u0000"}'],
    ['a backslash before the letters ud800', '{"a":"\\\\ud800"}'],
    ['an astral character', '{"a":"😀","😀":"\\ud83d\\ude00"}'],
    ['a large double', '{"a":1e100,"b":1.7976931348623157e308}'],
    ['a small double', '{"a":1e-100,"b":5e-324}'],
    ['numbers as strings', `{"a":"1e400","1e400":"${'9'.repeat(400)}"}`],
    ['an integer of 400 digits', `{"a":${'9'.repeat(400)}}`],
    ['a number with 400 decimal places', `{"a":0.${'3'.repeat(400)}}`],
    ['an exponent with leading zeros', '{"a":1e0000000002}'],
  ]
  for (const [name, data] of sameAsText) {
    test(`the value equals the text for ${name}`, async () => {
      const id = await storeUnchanged(kit, data)
      const { rows } = await kit.client.query(
        'SELECT record_json(data) = data::jsonb AS is_same FROM records WHERE record_id = $1',
        [id],
      )
      assert.deepEqual(rows, [{ is_same: true }])
    })
  }

  const replacements: [string, string, unknown][] = [
    ['U+0000', '{"a":"x\\u0000y"}', { a: 'x\ufffdy' }],
    ['U+0000 after backslashes', '{"a":"\\\\\\u0000"}', { a: '\\\ufffd' }],
    ['U+0000 in a key', '{"x\\u0000":{"\\u0000":1}}', { 'x\ufffd': { '\ufffd': 1 } }],
    ['a lone high surrogate', '{"a":"\\ud83d","b":"\\uD83Dx"}', { a: '\ufffd', b: '\ufffdx' }],
    ['a lone low surrogate', '{"a":["\\ude00"]}', { a: ['\ufffd'] }],
    ['lone surrogates in a key', '{"\\udc00":1,"\\ud800z":2}', { '\ufffd': 1, '\ufffdz': 2 }],
    ['a surrogate pair in reverse order', '{"a":"\\ude00\\ud83d"}', { a: '\ufffd\ufffd' }],
    ['keys that collide after replacement', '{"\\u0000":1,"\\ud800":2}', { '\ufffd': 2 }],
    [
      'an exponent above the range',
      '{"a":1e131072,"b":-1E+999999999}',
      { a: '1e131072', b: '-1E+999999999' },
    ],
    ['an exponent below the range', '{"a":1e-20000}', { a: '1e-20000' }],
    [
      'a number with 20,000 decimal places',
      `{"a":0.${'1'.repeat(20_000)}}`,
      { a: `0.${'1'.repeat(20_000)}` },
    ],
    [
      'an integer of 140,000 digits',
      `{"a":[-${'1'.repeat(140_000)}]}`,
      { a: [`-${'1'.repeat(140_000)}`] },
    ],
    [
      'a number between values that are accepted',
      '{"a":[1e1000000,-1.50,1e0000000002,"1e1000000","\\\\"],"\\\\":0}',
      { a: ['1e1000000', -1.5, 100, '1e1000000', '\\'], '\\': 0 },
    ],
  ]
  for (const [name, data, value] of replacements) {
    test(`the value contains a replacement for ${name}, which PostgreSQL rejects`, async () => {
      const id = await storeUnchanged(kit, data)
      const { rows } = await kit.client.query(
        'SELECT record_json(data) AS value FROM records WHERE record_id = $1',
        [id],
      )
      assert.deepEqual(rows, [{ value }])
    })
  }

  test('the value of JSON that is nested too deeply for PostgreSQL is null', async () => {
    const data = `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`
    const { rows } = await kit.client.query('SELECT record_json($1) AS value', [data])
    assert.deepEqual(rows, [{ value: null }])
  })

  test(
    'any JSON text is stored unchanged, and its value has the same keys',
    withSchool(async (kit) => {
      let count = 0
      await fc.assert(
        fc.asyncProperty(fc.array(anyObject, { minLength: 1, maxLength: 20 }), async (texts) => {
          const references = texts.map(() => `any-${count++}`)
          const writes = texts.map((data, index) =>
            pushWrite(kit.school, { reference: references[index] ?? '', data }),
          )
          assert.deepEqual(new Set(await kit.outcomesOf(...writes)), new Set(['created']))
          const { rows } = await kit.client.query(
            `SELECT data, (SELECT count(*)::int FROM jsonb_object_keys(record_json(data))) AS keys
             FROM records WHERE reference_number = ANY ($1) ORDER BY record_id`,
            [references],
          )
          const expected = texts.map((text) => {
            const value = json(text)
            const keys = new Set(
              Object.keys(value).map((key) => key.replaceAll(/\0/g, '\ufffd').toWellFormed()),
            )
            return { data: stringifyLossless(value), keys: keys.size }
          })
          assert.deepEqual(rows, expected)
        }),
        { numRuns: rounds(8, 100) },
      )
    }),
  )

  for (const pair of isDeep ? ['\\n', '\\"', '\\\\'] : ['\\"']) {
    test(
      `a text with 8 million escapes ${pair} is stored together with the rest of its batch`,
      withSchool(async (kit) => {
        const data = `{"a":"${pair.repeat(8_000_000)}\\u0000"}`
        const results = await kit.write(
          pushWrite(kit.school, { reference: 'long', data }),
          pushWrite(kit.school, { reference: 'short' }),
        )
        assert.deepEqual(outcomesOf(results), ['created', 'created'])
        const [record] = await kit.records()
        assert.ok(record?.data === data)
      }),
    )
  }
})

test('long names are listed in the same order on both engines, in pages and in both directions', async () => {
  const random = createSeededRandom()
  const randomName = () => incompressibleText(random)
  const same = 'n'.repeat(256)
  const boundary = ['\u{10000}', '\uffff', '\ue000', '\ud7ff', '\u{10ffff}', 'a', '\u0001', '😀']
  const names = [
    ...[randomName(), randomName(), `${same}${randomName()}`, `${same}${randomName()}`],
    ...[same, same, `${same}a`, `${same}b`, `${same}B`, same.slice(1), ''],
    ...boundary.flatMap((character) =>
      [254, 255, 256].map((length) => `${'n'.repeat(length)}${character}`),
    ),
    ...boundary.map((character) => `${character.repeat(256)}z`),
    ...boundary.map((character) => `${'😀'.repeat(255)}${character}`),
  ]
  const listed = new Map<string, number[]>()
  for (const engine of [postgresEngine, sqliteEngine]) {
    await withStorage(engine, async (kit) => {
      const school = await kit.register()
      const writes = names.map((full_name, index) =>
        pushWrite(school, { reference: `r-${index}`, full_name }),
      )
      assert.deepEqual(new Set(await kit.outcomesOf(...writes)), new Set(['created']))
      for (const descending of [false, true]) {
        const pages = await readNamePages(kit, descending)
        assert.deepEqual(
          new Set(pages.map((record) => record.full_name)),
          new Set(names),
          'A name was changed',
        )
        const ids = pages.map((record) => record.record_id)
        listed.set(`${engine.name} ${descending}`, ids)
      }
    })()
  }
  const ordered = names
    .map((name, index) => ({ bytes: Buffer.from(name), id: index + 1 }))
    .sort((one, other) => Buffer.compare(one.bytes, other.bytes) || one.id - other.id)
    .map(({ id }) => id)
  for (const [order, ids] of listed) {
    assert.deepEqual(ids, order.endsWith('true') ? ordered.toReversed() : ordered, order)
  }
})

test(
  'a record can be updated to a name of one megabyte and read back',
  withSchool(async (kit) => {
    await kit.school.post()
    const full_name = incompressibleText(createSeededRandom())
    const { outcome, record_id } = await kit.school.post({ full_name })
    assert.equal(outcome, 'updated')
    assert.equal((await kit.record(record_id)).full_name, full_name)
  }),
)

const piece = fc.constantFrom(
  ...['a', '"', '\\', '\n', '\0', '\ud800', '\udc00', '\u{1f600}', '\ufffd', '\u2028', 'u0000'],
  ...['\\u0000', 'ud800', 'e400', '9'.repeat(310), '{', ':', ',', 'é'],
)
const anyText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''))
/** A JSON string, either plain or with every UTF-16 code unit escaped. */
const anyString = fc.tuple(anyText, fc.boolean()).map(([text, isEscaped]) => {
  if (!isEscaped) return JSON.stringify(text)
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  return `"${units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('')}"`
})
const digits = fc.integer({ min: 1, max: 700 }).map((length) => '7'.repeat(length))
const anyNumber = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.oneof(fc.constant('0'), digits),
    fc.oneof(
      fc.constant(''),
      digits.map((text) => `.${text}`),
    ),
    fc.oneof(
      fc.constant(''),
      fc
        .tuple(fc.constantFrom('e', 'E', 'e+', 'e-'), fc.constantFrom('', '000'), fc.nat(200_000))
        .map((parts) => parts.join('')),
    ),
  )
  .map((parts) => parts.join(''))
const { object: anyObject } = fc.letrec<{ object: string; value: string }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(anyString, tie('value')), {
      maxLength: 5,
      selector: ([key]) => JSON.parse(key),
    })
    .map((members) => `{${members.map(([key, value]) => `${key}:${value}`).join(',')}}`),
  value: fc.oneof(
    { depthSize: 'small' },
    anyNumber,
    anyString,
    fc.constantFrom('true', 'false', 'null'),
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
  ),
}))

async function openSchool(): Promise<{ kit: Kit; close: () => Promise<void> }> {
  const clock = new TestClock()
  const { storage, url, close } = await openTemporaryPostgres(clock)
  const kit = createKit({ storage, clock })
  const school = await kit.register()
  const client = new Client({ connectionString: url })
  await client.connect()
  return {
    kit: { ...kit, client, school },
    async close() {
      await client.end()
      await close()
    },
  }
}

function withSchool(run: (kit: Kit) => Promise<void>): () => Promise<void> {
  return async () => {
    const { kit, close } = await openSchool()
    await run(kit).finally(close)
  }
}

/** Stores a text and asserts that it is read back unchanged. */
async function storeUnchanged(kit: Kit, data: string): Promise<number> {
  const reference = hash('sha256', data)
  const { record_id } = await kit.school.post({ reference, data })
  const stored = (await kit.record(record_id)).data
  assert.ok(stored === stringifyLossless(json(data)), 'The text was changed')
  return record_id
}

function readNamePages(kit: StorageKit, descending: boolean): Promise<RecordRow[]> {
  return readPages(7, (last) =>
    kit.records({
      sort: 'full_name',
      descending,
      limit: 7,
      after: last ? { value: last.full_name, record_id: last.record_id } : null,
    }),
  )
}
