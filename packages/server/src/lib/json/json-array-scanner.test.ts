import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { rounds } from '../../../test/helpers/time/tier.ts'
import {
  decodeJson,
  JsonArrayScanner,
  type JsonArrayScannerOptions,
  MalformedJsonError,
} from './json-array-scanner.ts'
import { elementBytes, type JsonChunk } from './json-chunk.ts'

const generous = { member: 'records', maxElementBytes: 1e8, maxEnvelopeBytes: 1e8, chunkBytes: 64 }

type Reading = {
  chunks: JsonChunk[]
  elements: unknown[]
  envelope: Record<string, unknown>
}

/** Reads a document as a caller would; throws where the scanner or `JSON.parse` rejects it. */
function read(
  document: string | Uint8Array,
  pieceSizes: readonly number[] = [7],
  options: Partial<JsonArrayScannerOptions> = {},
): Reading {
  const bytes = typeof document === 'string' ? Buffer.from(document) : document
  const scanner = new JsonArrayScanner({ ...generous, ...options })
  const chunks: JsonChunk[] = []
  for (const piece of cut(bytes, pieceSizes)) {
    for (const chunk of scanner.push(piece)) {
      chunks.push({ ...chunk, bytes: Uint8Array.from(chunk.bytes) })
      scanner.release(chunk)
    }
    piece.fill(0x22)
  }
  const envelope = scanner.end()
  return { chunks, elements: chunks.flatMap(parseChunk), envelope }
}

/** Copies the bytes in pieces of these sizes, repeatedly; a size of 0 gives an empty piece. */
function* cut(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, index = 0; at < bytes.length; index++) {
    const size = sizes[index % sizes.length] ?? 1
    yield Uint8Array.from(bytes.subarray(at, at + size))
    at += size
  }
}

function parseChunk(chunk: JsonChunk): unknown[] {
  const value: unknown = JSON.parse(decodeJson(chunk.bytes))
  assert.ok(Array.isArray(value))
  assert.equal(value.length, chunk.starts.length)
  assert.equal(value.length, chunk.ends.length)
  return value
}

function parseWhole(bytes: Uint8Array): unknown {
  return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The expected reading of a document that `JSON.parse` reads as this value. */
function expected(value: Record<string, unknown>): Omit<Reading, 'chunks'> {
  const elements = value['records']
  if (!Array.isArray(elements)) return { elements: [], envelope: value }
  return { elements, envelope: { ...value, records: [] } }
}

function assertRejected(document: string | Uint8Array, message?: RegExp, options = {}): void {
  for (const size of [1, 2, 3, 1e6]) {
    assert.throws(
      () => read(document, [size], options),
      (error) => {
        if (message === undefined) {
          assert.ok(
            error instanceof MalformedJsonError || error instanceof SyntaxError,
            String(error),
          )
        } else {
          assert.ok(error instanceof MalformedJsonError, String(error))
          assert.match(error.message, message)
        }
        return true
      },
    )
  }
}

type Style = { gaps: readonly string[]; escapes: readonly boolean[]; escapesKeys: boolean }

/** Writes JSON with whitespace and escapes that cycle through the lists. */
function write(value: unknown, { gaps, escapes, escapesKeys }: Style): string {
  let index = 0
  const gap = () => gaps[index++ % gaps.length] ?? ''
  const spell = (character: string) =>
    character.length === 1 && escapes[index++ % escapes.length]
      ? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
      : character
  const string = (text: string) => JSON.stringify(text).replace(/[^"\\]|\\u....|\\./gsu, spell)
  const any = (part: unknown): string => {
    if (typeof part === 'string') return string(part)
    if (Array.isArray(part)) return `[${gap()}${part.map(padded).join(',')}]`
    if (!isObject(part)) return JSON.stringify(part)
    const members = Object.entries(part).map(
      ([key, member]) =>
        `${gap()}${escapesKeys ? string(key) : JSON.stringify(key)}${gap()}:${padded(member)}`,
    )
    return `{${gap()}${members.join(',')}}`
  }
  const padded = (part: unknown): string => `${gap()}${any(part)}${gap()}`
  return padded(value)
}

/**
 * JSON.parse of Node 24 confuses a key that contains an escape with an earlier key that has a backslash at the
 * same position (nodejs/node#63785). Keys therefore have no backslashes, and no escapes either where the damage
 * could add a backslash.
 */
const key = fc
  .oneof(fc.constantFrom('total', 'records ', 'record', '', '[', ','), fc.string())
  .map((name) => name.replace(/["\\]/g, 'ü'))
const leaf = fc.oneof(
  fc.constantFrom(null, true, false, 0, -1.5e-7, 12345678901, '', ']', '[', '{', '}', ',', '\\'),
  fc.string({ unit: codePoint }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
)
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(key, fc.constant('records')), tie('value'), { maxKeys: 4 }),
  ),
}))
const members = fc.array(
  fc.tuple(
    key.filter((name) => name !== 'records'),
    value,
  ),
  { maxLength: 3 },
)
const documentText = (escapesKeys: boolean) =>
  fc
    .record({
      before: members,
      member: fc.oneof(
        { weight: 6, arbitrary: fc.array(value, { maxLength: 12 }) },
        { weight: 1, arbitrary: value },
      ),
      after: members,
      gaps: fc.oneof(
        fc.constant(['']),
        fc.array(fc.constantFrom('', '', ' ', '\n  ', '\t', '\r\n'), { minLength: 1 }),
      ),
      escapes: fc.oneof(fc.constant([false]), fc.array(fc.boolean(), { minLength: 1 })),
      bom: fc.constantFrom('', '', '\ufeff'),
    })
    .map(({ before, member, after, gaps, escapes, bom }) => {
      const whole = Object.fromEntries([...before, ['records', member], ...after])
      return bom + write(whole, { gaps, escapes, escapesKeys })
    })
const pieceSizes = fc.array(fc.oneof(fc.constant(1), fc.nat({ max: 40 }), fc.constant(5000)), {
  minLength: 1,
})
const sizes = pieceSizes.filter((list) => list.some((size) => size > 0))
const chunkBytes = fc.constantFrom(1, 16, 64, 65_536)

test('any document in any pieces gives the elements and the envelope of JSON.parse', () => {
  fc.assert(
    fc.property(documentText(true), sizes, chunkBytes, (text, pieces, chunkSize) => {
      const bytes = Buffer.from(text)
      const whole = parseWhole(bytes)
      assert.ok(isObject(whole))
      const { chunks, elements, envelope } = read(bytes, pieces, { chunkBytes: chunkSize })
      assert.deepStrictEqual({ elements, envelope }, expected(whole))
      let index = 0
      for (const chunk of chunks) {
        assert.equal(chunk.firstIndex, index)
        assert.deepEqual(chunk.tooLarge, [])
        for (const position of chunk.starts.keys()) {
          const own = decodeJson(elementBytes(chunk, position))
          assert.equal(own, own.trim())
          assert.deepStrictEqual(JSON.parse(own), elements[index++])
        }
      }
      assert.equal(index, elements.length)
    }),
    { numRuns: rounds(80, 1500) },
  )
})

test('members of the envelope have the keys that were sent, whatever keys came before', () => {
  // JSON.parse of V8 reads the second document's keys as "h", "\\" and "records":
  // https://github.com/nodejs/node/issues/63785
  read('{"h":[],"\\\\":0,"records":[]}')
  const { envelope } = read('{"h":1,"\\"":2,"records":[]}')
  assert.deepEqual(Object.keys(envelope), ['h', '"', 'records'])
})

const damage = fc.record({
  kind: fc.constantFrom('delete', 'insert', 'replace', 'swap', 'cut off'),
  where: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  other: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  byte: fc.oneof(
    fc.constantFrom(...Buffer.from('[]{},:"\\ 0-e')),
    fc.constantFrom(0xff, 0xc3, 0xef, 0),
    fc.integer({ min: 0, max: 255 }),
  ),
})

test('a damaged document is rejected where JSON.parse rejects it, and otherwise read identically', () => {
  let rejected = 0
  fc.assert(
    fc.property(
      documentText(false),
      fc.array(damage, { minLength: 1, maxLength: 2 }),
      sizes,
      chunkBytes,
      (text, damages, pieces, chunkSize) => {
        let bytes = [...Buffer.from(text)]
        for (const { kind, where, other, byte } of damages) {
          const at = Math.floor(where * bytes.length)
          const to = Math.floor(other * bytes.length)
          if (kind === 'delete') bytes.splice(at, 1)
          else if (kind === 'insert') bytes.splice(at, 0, byte)
          else if (kind === 'replace') bytes[at] = byte
          else if (kind === 'cut off') bytes = bytes.slice(0, at)
          else [bytes[at], bytes[to]] = [bytes[to] ?? 0, bytes[at] ?? 0]
        }
        const attempt = <Result>(action: () => Result): Result | Error => {
          try {
            return action()
          } catch (error) {
            assert.ok(error instanceof Error)
            assert.ok(!(error instanceof assert.AssertionError), error)
            return error
          }
        }
        const whole = attempt(() => parseWhole(Uint8Array.from(bytes)))
        const own = attempt(() => read(Uint8Array.from(bytes), pieces, { chunkBytes: chunkSize }))
        if (whole instanceof Error || !isObject(whole)) {
          rejected++
          assert.ok(own instanceof MalformedJsonError || own instanceof SyntaxError)
        } else if (own instanceof Error) assert.match(own.message, /has "records" twice/)
        else {
          const { elements, envelope } = own
          assert.deepStrictEqual({ elements, envelope }, expected(whole))
        }
      },
    ),
    { numRuns: rounds(250, 4000) },
  )
  assert.ok(rejected > rounds(50, 1000))
})

const accepted: [string, string, unknown[], Record<string, unknown>][] = [
  ['an empty array', '{"records":[]}', [], { records: [] }],
  ['an array of only whitespace', '{"records":[ \n ]}', [], { records: [] }],
  ['the member after the others', '{"total":1,"records":[1]}', [1], { total: 1, records: [] }],
  ['the member before the others', '{"records":[1],"total":1}', [1], { records: [], total: 1 }],
  ['a key with escapes', '{"rec\\u006frds":[1]}', [1], { records: [] }],
  ['a byte order mark', '\ufeff {"records":[1]}', [1], { records: [] }],
  [
    'whitespace around every token',
    ' \n{ "records" : [ 1 , "a" ] }\r\n',
    [1, 'a'],
    { records: [] },
  ],
  [
    'quotes and backslashes',
    '{"records":["\\\\","\\"",{"\\"]":"\\\\"}]}',
    ['\\', '"', { '"]': '\\' }],
    { records: [] },
  ],
  ['a document without the member', '{"total":1}', [], { total: 1 }],
  ['an empty object', '{}', [], {}],
  ['a member that is an object', '{"records":{"records":[1]}}', [], { records: { records: [1] } }],
  ['a member that is null', '{"records":null,"b":[1]}', [], { records: null, b: [1] }],
  [
    'the name of the member as a string value',
    '{"a":"records","b":["records",[1]]}',
    [],
    { a: 'records', b: ['records', [1]] },
  ],
  [
    'the name of the member inside another member',
    '{"a":{"records":[1]},"records":[2]}',
    [2],
    { a: { records: [1] }, records: [] },
  ],
  [
    'the name of the member inside an element',
    '{"records":[{"records":[1]}]}',
    [{ records: [1] }],
    { records: [] },
  ],
]
for (const [name, document, elements, envelope] of accepted) {
  test(`reads ${name}`, () => {
    for (const size of [1, 2, 3, 1e6]) {
      const reading = read(document, [size, 0], { chunkBytes: 1 })
      assert.deepStrictEqual(reading.elements, elements)
      assert.deepStrictEqual(reading.envelope, envelope)
    }
  })
}

const rejectedDocuments: [string, string | Uint8Array, RegExp?][] = [
  ['an empty document', '', /is empty/],
  ['a document of whitespace', ' \n', /not valid JSON/],
  ['a top-level array', ' [{"records":[]}]', /is not an object, at byte 1$/],
  ['a top-level number', '12', /is not an object/],
  ['a top-level string', '"records"', /is not an object/],
  ['an HTML page', '<html>{"records":[1]}</html>', /not valid JSON/],
  ['a comma before the end of the array', '{"records":[1,]}', /lacks an element, at byte 14/],
  ['a comma at the beginning', '{"records":[,1]}', /lacks an element, at byte 12/],
  ['a brace instead of an element', '{"records":[}]}'],
  ['a lone comma', '{"records":[,]}', /lacks an element/],
  ['two commas', '{"records":[1,,2]}', /lacks an element/],
  [
    'no comma between numbers',
    '{"records":[1 2]}',
    /lacks a comma between two elements, at byte 14/,
  ],
  ['no comma between objects', '{"records":[{}{}]}', /lacks a comma/],
  ['no comma between strings', '{"records":["a""b"]}', /lacks a comma/],
  ['the wrong bracket in an element', '{"records":[{]}]}'],
  ['mismatched brackets in equal numbers', '{"records":[{],[}]}'],
  ['the wrong bracket after the array', '{"records":[1}}', /lacks a comma/],
  ['the wrong bracket at the end', '{"records":[1]]', /not valid JSON/],
  ['an extra bracket', '{"records":[1]}}', /has an unmatched closing bracket, at byte 15/],
  ['an unknown literal', '{"records":[tru]}'],
  ['a colon in the array', '{"records":["a":1]}', /lacks a comma/],
  ['a line break in a string', '{"records":["a\nb"]}'],
  ['an invalid escape', '{"records":["\\x"]}'],
  ['the member twice', '{"records":[1],"records":[2]}', /has "records" twice, at byte 24/],
  [
    'the member twice, once without an array',
    '{"records":null,"\\u0072ecords":[2]}',
    /"records" twice/,
  ],
  ['a second document', '{"records":[1]} {"total":1}', /not valid JSON/],
  ['a second document with the member', '{} {"records":[1]}', /not valid JSON/],
  ['bytes after the end', '{"records":[1]}x', /not valid JSON/],
  ['a missing colon', '{"records"[1]}', /not valid JSON/],
  ['a value before the array', '{"records":1[1]}', /not valid JSON/],
  ['a value after the array', '{"records":[1]1}', /not valid JSON/],
  ['a second array', '{"records":[1][2]}', /not valid JSON/],
  ['an invalid envelope before the array', '{"total":tru,"records":[1]}', /not valid JSON/],
  ['an invalid envelope after the array', '{"records":[1],"total":}', /not valid JSON/],
  ['invalid UTF-8 in an element', Buffer.from('{"records":["\xe4"]}', 'latin1'), /not valid UTF-8/],
  [
    'invalid UTF-8 in the envelope',
    Buffer.from('{"records":[],"a":"\xe4"}', 'latin1'),
    /not valid UTF-8/,
  ],
  ['a partial byte order mark', Buffer.from('\xef\xbb{"records":[]}', 'latin1'), /not valid UTF-8/],
  ['a byte order mark in the array', '{"records":[\ufeff1]}'],
]
for (const [name, document, message] of rejectedDocuments) {
  test(`rejects ${name}`, () => {
    assertRejected(document, message)
    assertRejected(document, message, { chunkBytes: 1 })
  })
}

test('rejects a document that is cut off at any byte', () => {
  const document = Buffer.from('{"total":2,"records":[{"a":"\\"ü"},[1],true],"more":{"b":[]}}')
  for (let length = 1; length < document.length; length++) {
    assertRejected(document.subarray(0, length), /ends too early, at byte \d+$/)
  }
  assert.equal(read(document).elements.length, 3)
})

test('provides the envelope before the array as soon as the array begins', () => {
  const scanner = new JsonArrayScanner(generous)
  scanner.push(Buffer.from('{"platform_name":"a","records":'))
  assert.equal(scanner.head, null)
  scanner.push(Buffer.from('['))
  assert.deepEqual(scanner.head, { platform_name: 'a', records: [] })
  scanner.push(Buffer.from('1],"total":1}'))
  assert.deepEqual(scanner.head, { platform_name: 'a', records: [] })
  assert.deepEqual(scanner.end(), { platform_name: 'a', records: [], total: 1 })
})

test('provides no partial envelope if there is no array', () => {
  const scanner = new JsonArrayScanner(generous)
  scanner.push(Buffer.from('{"records":{"records":[]}}'))
  scanner.end()
  assert.equal(scanner.head, null)
})

test('rejects all further input after an error', () => {
  const scanner = new JsonArrayScanner(generous)
  assert.throws(() => scanner.push(Buffer.from('{"records":[1,]}')), MalformedJsonError)
  assert.throws(() => scanner.push(Buffer.from('{"records":[1]}')), MalformedJsonError)
  assert.throws(() => scanner.end(), MalformedJsonError)
})

test('returns a chunk when it is full, and the rest at the end of the array', () => {
  const scanner = new JsonArrayScanner({ ...generous, chunkBytes: 10 })
  const sent = ['{"records":[1111', ',2222', ',33', ',44 ', ' ] ', '}']
  const got = sent.map((part) =>
    scanner.push(Buffer.from(part)).map((chunk) => decodeJson(chunk.bytes)),
  )
  assert.deepEqual(got, [[], [], ['[1111,2222]'], [], ['[33,44]'], []])
})

test('skips elements that are too large, reports them and reads all others', () => {
  const long = 'x'.repeat(100)
  const all = [long, 1, { a: [long] }, [long, 2], 'b', [3], long]
  for (const indent of [0, 2]) {
    for (const size of [1, 10, 37, 1e6]) {
      const text = JSON.stringify({ records: all, total: 7 }, null, indent)
      const { chunks, envelope } = read(text, [size], { maxElementBytes: 100 })
      assert.deepEqual(
        chunks.map((chunk) => [chunk.tooLarge, chunk.firstIndex, parseChunk(chunk)]),
        [
          [[0], 1, [1]],
          [[2, 3], 4, ['b', [3]]],
          [[6], 7, []],
        ],
      )
      assert.deepEqual(envelope, { records: [], total: 7 })
    }
  }
})

test('reads an element of exactly the maximum size, but not one byte more', () => {
  for (const size of [1, 1e6]) {
    const [chunk] = read('{"records":["1234567","12345678"]}', [size], {
      maxElementBytes: 9,
    }).chunks
    assert.ok(chunk)
    assert.deepEqual(parseChunk(chunk), ['1234567'])
  }
})

test('rejects an envelope that is too large, before or after the array', () => {
  const limits = { maxEnvelopeBytes: 30 }
  const filling = 'x'.repeat(20)
  assert.equal(read(`{"records":["${filling}"],"a":1}`, [3], limits).elements.length, 1)
  const message = /too large outside of "records"/
  assertRejected(`{"a":"${filling}","records":[1]}`, message, limits)
  assertRejected(`{"records":[1],"a":"${filling}"}`, message, limits)
  assertRejected(`{"records":{"a":"${filling}"`, /"records" is not a list/, limits)
})

test('reads a million nested arrays without recursion, balanced or not', () => {
  const open = '['.repeat(1e6)
  const close = ']'.repeat(1e6)
  const { chunks } = read(`{"records":[${open}${close}]}`, [65_536])
  assert.deepEqual(
    chunks.map((chunk) => chunk.bytes.length),
    [2e6 + 2],
  )
  assert.throws(() => read(`{"records":[${open}`, [65_536]), /ends too early/)
  assert.throws(() => read(`{"a":${open}`, [65_536]), /ends too early/)
})

/** The number of bytes that are copied while the action runs. */
function countCopied(context: TestContext, action: () => void): number {
  const set = context.mock.method(Uint8Array.prototype, 'set')
  try {
    action()
  } finally {
    set.mock.restore()
  }
  return set.mock.calls.reduce((sum, call) => sum + call.arguments[0].length, 0)
}

test('copies an element across thousands of pieces about once', (context) => {
  const text = JSON.stringify({ records: [1, 'x'.repeat(2_000_000), 2] })
  let elements: unknown[] = []
  const copied = countCopied(context, () => {
    elements = read(text, [500]).elements
  })
  assert.deepEqual(elements, [1, 'x'.repeat(2_000_000), 2])
  assert.ok(copied < 3 * text.length, `${copied}`)
})

test('copies a long envelope across thousands of pieces about once', (context) => {
  const whole = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`key ${i}`, i]))
  const text = JSON.stringify(whole)
  let envelope = {}
  const copied = countCopied(context, () => {
    envelope = read(text, [100]).envelope
  })
  assert.deepEqual(envelope, whole)
  assert.ok(copied < 3 * text.length, `${copied}`)
})

test('leaves a byte order mark in an element, which makes its JSON invalid', () => {
  const scanner = new JsonArrayScanner(generous)
  const [chunk] = scanner.push(Buffer.from('{"records":[\ufeff1]}'))
  assert.ok(chunk)
  assert.throws(() => parseChunk(chunk), SyntaxError)
  assert.throws(() => JSON.parse(decodeJson(elementBytes(chunk, 0))), SyntaxError)
})

test('buffers neither an element that is too large nor endless whitespace', (context) => {
  const text = `{"records":[1,"${'x'.repeat(500_000)}",${' '.repeat(500_000)}2${' '.repeat(500_000)}]}`
  let chunks: JsonChunk[] = []
  const copied = countCopied(context, () => {
    chunks = read(text, [1000], { maxElementBytes: 5000 }).chunks
  })
  assert.deepEqual(chunks.map(parseChunk), [[1], [2]])
  assert.ok(copied < 20_000, `${copied}`)
})

test('returns the complete elements between any two pieces and continues with the open one', () => {
  const elements = [{ a: 'x\\"]' }, [1, [2]], 'text, "quoted"', 12, { long: 'y'.repeat(100) }, null]
  const document = Buffer.from(JSON.stringify({ total: 6, records: elements, more: [1] }))
  for (let size = 1; size <= document.length; size += 1) {
    const scanner = new JsonArrayScanner(generous)
    const read: unknown[] = []
    let firstIndex = 0
    for (const piece of cut(document, [size])) {
      for (const chunk of [...scanner.push(piece), ...scanner.takeFinished()]) {
        assert.equal(chunk.firstIndex, firstIndex)
        const parsed = parseChunk(chunk)
        firstIndex += parsed.length
        read.push(...parsed)
        for (let position = 0; position < parsed.length; position += 1) {
          const one = decodeJson(elementBytes(chunk, position))
          assert.deepEqual(JSON.parse(one), parsed[position])
        }
        scanner.release(chunk)
      }
      piece.fill(0x22)
    }
    assert.deepEqual(scanner.end(), { total: 6, records: [], more: [1] })
    assert.deepEqual(read, elements)
  }
})

test('groups small elements in chunks of about the requested size, for pieces of any size', () => {
  const records = Array.from({ length: 5000 }, (_, i) => ({ i, text: 'ä'.repeat(i % 30) }))
  for (const size of [1, 900, 65_536]) {
    const { chunks, elements } = read(JSON.stringify({ records }), [size], { chunkBytes: 4096 })
    assert.deepEqual(elements, records)
    for (const chunk of chunks.slice(0, -1)) {
      assert.ok(chunk.bytes.length >= 4096 && chunk.bytes.length < 4096 + 200)
      assert.ok(chunk.bytes.buffer.byteLength <= 2 * 4096)
    }
  }
})

test('ends a chunk of very small elements by their number', () => {
  const records = Array.from({ length: 5000 }, () => 1)
  for (const size of [1, 900, 65_536]) {
    const { chunks, elements } = read(JSON.stringify({ records }), [size], { chunkBytes: 65_536 })
    assert.deepEqual(elements, records)
    assert.deepEqual(
      chunks.map(({ starts, firstIndex }) => [firstIndex, starts.length]),
      [
        [0, 2048],
        [2048, 2048],
        [4096, 904],
      ],
    )
  }
})

test('returns every complete element after an interruption at any byte', () => {
  const elements = fc.array(fc.jsonValue({ maxDepth: 2 }), { minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(elements, fc.nat(), fc.integer({ min: 1, max: 9 }), (records, at, pieceSize) => {
      const bytes = Buffer.from(JSON.stringify({ total: 1, records }))
      const cut = bytes.subarray(0, at % bytes.length)
      const scanner = new JsonArrayScanner(generous)
      const chunks: JsonChunk[] = []
      for (let from = 0; from < cut.length; from += pieceSize) {
        chunks.push(...scanner.push(cut.subarray(from, from + pieceSize)))
      }
      chunks.push(...scanner.takeRest())
      const texts = chunks.flatMap((chunk) =>
        chunk.starts.map((_, position) => decodeJson(elementBytes(chunk, position))),
      )
      const begin = Buffer.byteLength('{"total":1,"records":[')
      let end = begin - 1
      const whole = records.filter((record) => {
        end += Buffer.byteLength(JSON.stringify(record)) + 1
        // A number or literal is complete only once the next byte is known.
        const isOpenEnded = record === null || !['object', 'string'].includes(typeof record)
        return end <= cut.length - (isOpenEnded ? 1 : 0)
      })
      assert.deepEqual(
        texts,
        whole.map((record) => JSON.stringify(record)),
      )
      assert.deepEqual(scanner.takeRest(), [])
    }),
    { numRuns: rounds(80, 1000) },
  )
})
