/** Any records response: what is stored is exactly what its valid elements contain, on both engines. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { MAX_JSON_DEPTH, MAX_REFERENCE_BYTES } from '@recordhub/protocol'
import { checkPulled } from '../../src/domain/record/record-input.ts'
import { isErrorCode } from '../../src/errors.ts'
import { readElements } from '../../src/platform-client/records/records-chunk.ts'
import { openRecordsStream } from '../../src/platform-client/records/records-stream.ts'
import { type PulledHub, startPulledHub } from '../helpers/hub/pulled-hub.ts'
import type { Responder } from '../helpers/platform/platform.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { postgresEngine } from '../helpers/storage/postgres.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { anyText, bytesOf, jsonObject, jsonString, jsonValue, objectWith } from './arbitraries.ts'
import { expectUnharmed, fuzz } from './checks.ts'
import { NUMBERS, STRINGS } from './corpus.ts'
import {
  hasKey,
  isDeeperThan,
  type ReferenceValue,
  readReference,
  readReferenceBytes,
  storedText,
  stringOf,
} from './reference-json.ts'

const reference = fc.oneof(
  { weight: 6, arbitrary: fc.nat({ max: 30 }).map((number) => `"R-${number}"`) },
  { weight: 2, arbitrary: fc.constantFrom(...STRINGS).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: jsonString },
)
const element = fc.oneof(
  {
    weight: 12,
    arbitrary: objectWith({
      reference_number: reference,
      full_name: jsonString,
      data: fc.oneof(
        { weight: 9, arbitrary: jsonObject },
        { weight: 1, arbitrary: fc.constantFrom('[]', '[1]', 'null') },
      ),
    }),
  },
  { weight: 1, arbitrary: jsonValue },
)
/** The members before and after `records`. */
const envelope = fc.array(
  fc
    .tuple(
      fc.oneof(
        fc.constantFrom(
          '"success"',
          '"total"',
          '"platform_name"',
          '"record_type"',
          '"message"',
          '"a"',
        ),
        jsonString,
      ),
      fc.oneof(
        fc.constantFrom('true', '"cases"', '3', '"3"', 'null', '[]'),
        fc.constantFrom(...NUMBERS),
        jsonValue,
      ),
    )
    .map(([key, value]) => `${key}:${value}`),
  { maxLength: 3 },
)
const document = fc
  .tuple(envelope, fc.array(element, { maxLength: 8 }), envelope, fc.constantFrom('', '\n', ' '))
  .map(
    ([head, elements, tail, gap]) =>
      `{${[...head, `"records":[${elements.join(`,${gap}`)}]`, ...tail].join(`${gap},`)}}`,
  )

describe('fuzzed records responses', () => {
  test('a response in pieces of any size gives the elements of the reference reader', async () => {
    const sizes = fc.array(fc.oneof(fc.constant(1), fc.nat({ max: 40 }), fc.constant(5000)), {
      minLength: 1,
      maxLength: 4,
    })
    await fuzz(fc.tuple(bytesOf(document, { damaged: 0.4 }), sizes), {
      quick: 60,
      deep: 40_000,
      async check([bytes, pieces]) {
        const value = readReferenceBytes(bytes)
        const records = value?.kind === 'object' ? value.members.get('records') : undefined
        const { inputs, error } = await readInPieces(bytes, pieces)
        if (error !== null && value !== null && records?.kind === 'array')
          assert.match(error, /twice|too deep/)
        if (error === null) {
          assert.ok(records?.kind === 'array', 'An invalid document was accepted')
          assert.deepEqual(inputs, records.items.map(expectedInput))
        }
      },
    })
  })

  describe('pulled', () => {
    let hubs: PulledHub[] = []
    before(async () => {
      const options = { platform_name: 'fuzzed', source_api_key: 'source-key-of-fuzzed-0123456789' }
      hubs = [
        await startPulledHub(sqliteEngine, options),
        await startPulledHub(postgresEngine, options),
      ]
    })
    after(async () => {
      for (const hub of hubs) await hub[Symbol.asyncDispose]()
    })

    /** Pulls the same response into both hubs. @returns the stored records by reference. */
    async function pullBoth(responder: Responder) {
      const results = await Promise.all(
        hubs.map(async ({ hub, platform, pull }) => {
          for (const table of ['record_history', 'records'])
            await runSql(hub.storage, `DELETE FROM ${table}`)
          platform.setResponse('records/cases', responder)
          const task = await pull()
          const response = await hub.get('/api/v1/records?sort=record_id&limit=500')
          assert.equal(response.status, 200, response.text)
          const page = readReference(response.text)
          const list = page?.kind === 'object' ? page.members.get('records') : undefined
          assert.ok(list?.kind === 'array')
          const records = list.items.map(toInput)
          const { state, error, received, created, rejected } = task
          assert.equal(error === null, state === 'succeeded', `${state}: ${error}`)
          return { records, state, received, created, rejected }
        }),
      )
      const [onSqlite, onPostgres] = results
      assert.deepEqual(onPostgres, onSqlite)
      assert.ok(onSqlite)
      return onSqlite
    }

    test('the valid elements of a response are stored, however it is encoded', async () => {
      const encode = fc.constantFrom<[string, (bytes: Buffer) => Buffer]>(
        ['', (bytes) => bytes],
        ['gzip', gzipSync],
        ['br', brotliCompressSync],
        ['deflate', deflateSync],
        ['deflate', deflateRawSync],
        ['x-gzip', gzipSync],
      )
      await fuzz(
        fc.tuple(bytesOf(document, { damaged: 0.1 }), encode, fc.constantFrom(1, 1, 1, 0.5, 0.99)),
        {
          quick: 4,
          deep: 800,
          async check([bytes, [encoding, compress], share]) {
            const value = readReferenceBytes(bytes)
            const sent = compress(bytes)
            const part = sent.subarray(0, Math.floor(sent.length * share))
            const result = await pullBoth((response) => {
              response.writeHead(200, {
                'content-type': 'application/json',
                ...(encoding === '' ? {} : { 'content-encoding': encoding }),
              })
              response.end(part)
            })
            // A response that repeats `records` fails after the first one.
            const records = value?.kind === 'object' ? value.first.get('records') : undefined
            const expected = records?.kind === 'array' ? uniqueInputs(records.items) : []
            if (result.state === 'succeeded') {
              assert.equal(share === 1 || part.length === sent.length, true)
              assert.deepEqual(result.records, expected)
              assert.equal(
                result.rejected,
                (records?.kind === 'array' ? records.items.length : 0) - expected.length,
              )
            } else if (value !== null) {
              // The elements that arrived before the error.
              assert.deepEqual(result.records, expected.slice(0, result.records.length))
            }
          },
        },
      )
      expectUnharmed(...hubs.map(({ hub }) => hub))
    })

    test('any headers of a response, and any links between pages', async () => {
      const printable = anyText.map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, ''))
      const link = fc.oneof(
        fc.constantFrom(
          '<?page=2>; rel="next"',
          '<?page=2>;rel=next',
          '<//evil.example/>; rel="next"',
          '<>; rel="next"',
          '<?page=1>; rel="next"',
          '<http://[>; rel=next',
          '<?page=2',
          ',,,',
          '<?page=2>; rel="prev next"',
          '<javascript:x>; rel=next',
          '<?page=2>; rel="next"; rel="prev"',
          '<?page=2>; REL=NEXT',
          '<?a>; rel=x, <?page=2>; rel=next',
        ),
        printable,
        printable.map((text) => `<${text}>; rel="next"`),
      )
      const headers = fc.record(
        {
          link,
          etag: fc.oneof(fc.constantFrom('"a"', 'W/"a"', 'a', '""', '*'), printable),
          'last-modified': fc.oneof(
            fc.constantFrom('Wed, 21 Oct 2015 07:28:00 GMT', 'x', '0'),
            printable,
          ),
          'content-type': fc.oneof(
            fc.constantFrom(
              'application/json; charset=utf-16',
              'text/html',
              'application/json;charset="x',
              'x',
            ),
            printable,
          ),
          'content-encoding': fc.oneof(
            fc.constantFrom('identity', 'x', 'gzip, br', '__proto__', 'constructor'),
            printable,
          ),
          'retry-after': printable,
          date: printable,
        },
        { requiredKeys: [] },
      )
      await fuzz(
        fc.tuple(
          headers,
          fc.constantFrom(200, 200, 200, 200, 204, 206, 304, 301, 404, 500, 503, 299),
        ),
        {
          quick: 4,
          deep: 800,
          async check([given, status]) {
            const { records, state } = await pullBoth((response, request) => {
              const isFirst = !request.path.includes('page=')
              const text = `{"success":true,"total":2,"records":[{"reference_number":"${isFirst ? 'A' : 'B'}","full_name":"n","data":{}}]}`
              const { link: next, ...rest } = given
              try {
                response.writeHead(status, {
                  'content-type': 'application/json',
                  ...rest,
                  ...(isFirst && next !== undefined ? { link: next } : {}),
                })
              } catch {
                // Node.js does not send every header.
                response.writeHead(200, { 'content-type': 'application/json' })
              }
              response.end(status === 204 || status === 304 ? undefined : text)
            })
            const references = records.map((record) => record?.reference_number)
            assert.ok(['', 'A', 'A,B'].includes(references.join()), references.join())
            if (state === 'succeeded') assert.ok([200, 304].includes(status), String(status))
          },
        },
      )
      expectUnharmed(...hubs.map(({ hub }) => hub))
    })
  })
})

type Input = { reference_number: string; full_name: string; data: string }

/** Reads a response as a pull does, from pieces of these sizes. Null stands for a rejected element. */
async function readInPieces(
  bytes: Buffer,
  sizes: readonly number[],
): Promise<{ inputs: (Input | null)[]; error: string | null }> {
  async function* body() {
    for (let at = 0, index = 0; at < bytes.length; index += 1) {
      const size = Math.max(1, sizes[index % sizes.length] ?? 1)
      yield Uint8Array.from(bytes.subarray(at, at + size))
      at += size
    }
  }
  const stream = openRecordsStream({
    path: '/records',
    key: 'k',
    isModified: true,
    contentType: 'application/json',
    body: body(),
    url: new URL('http://platform/records'),
    header: () => '',
  })
  const inputs: (Input | null)[] = []
  try {
    for await (const chunk of stream.chunks()) {
      const { elements, error } = readElements(chunk, [...chunk.starts.keys()])
      for (const { record, value } of elements.map((one) => ({
        record: one.record,
        value: one.record ? null : one.value,
      }))) {
        const checked = record ? { outcome: 'valid' as const, input: record } : checkPulled(value)
        if (checked.outcome === 'invalid') inputs.push(null)
        else {
          const { reference_number, full_name, data } = checked.input
          inputs.push({ reference_number, full_name, data: Buffer.from(data).toString() })
        }
      }
      stream.release(chunk)
      if (error !== null) return { inputs, error }
    }
    return { inputs, error: null }
  } catch (error) {
    assert.ok(
      error instanceof Error && 'code' in error && isErrorCode(String(error.code)),
      String(error),
    )
    return { inputs, error: error.message }
  }
}

/** What the hub must read from an element; null if it must reject it. */
function expectedInput(value: ReferenceValue): Input | null {
  if (isDeeperThan(MAX_JSON_DEPTH, value) || hasKey(value, '__proto__')) return null
  const input = toInput(value)
  if (!input) return null
  const { reference_number, full_name } = input
  const isShort =
    reference_number !== '' && Buffer.byteLength(reference_number) <= MAX_REFERENCE_BYTES
  return isShort &&
    [reference_number, full_name].every((text) => text.isWellFormed() && !text.includes('\u0000'))
    ? input
    : null
}

function toInput(value: ReferenceValue): Input | null {
  const data = value.kind === 'object' ? value.members.get('data') : undefined
  const reference_number = stringOf(value, 'reference_number')
  const full_name = stringOf(value, 'full_name')
  if (!data || reference_number === null || full_name === null) return null
  if (data.kind === 'array' && data.items.length === 0)
    return { reference_number, full_name, data: '{}' }
  return data.kind === 'object' ? { reference_number, full_name, data: storedText(data) } : null
}

/** The accepted elements. Of elements with the same reference, the first one is stored. */
function uniqueInputs(items: readonly ReferenceValue[]): Input[] {
  const found = new Map<string, Input>()
  for (const input of items.map(expectedInput)) {
    if (input && !found.has(input.reference_number)) found.set(input.reference_number, input)
  }
  return [...found.values()]
}
