/** Pushes of any content: what the hub accepts is stored as it was sent, and what it rejects is not stored. */
import assert from 'node:assert/strict'
import { before, describe, test } from 'node:test'
import { MAX_JSON_DEPTH, MAX_RECORD_TYPE_BYTES, MAX_REFERENCE_BYTES } from '@recordhub/protocol'
import type { TestHub } from '../helpers/hub/hub.ts'
import { pushHeaders } from '../helpers/hub/platform-requests.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { anyJson, anyString, bytesOf, jsonObject, jsonString, objectWith } from './arbitraries.ts'
import { expectHandled, expectUnharmed, fuzz, sampleOf } from './checks.ts'
import { JSON_TEXTS, STRINGS } from './corpus.ts'
import {
  hasKey,
  isDeeperThan,
  type ReferenceValue,
  readReference,
  readReferenceBytes,
  storedText,
  stringOf,
} from './reference-json.ts'
import { type RegisteredHub, sendToBoth, shareTwoHubs } from './two-hubs.ts'

type Method = 'POST' | 'PATCH'
type Push = { method: Method; bytes: Buffer }
type Expected = { full_name: string; members: Map<string, string>; incomplete: boolean }

const MODULE = simulatedModule('cases', { keys: ['a', 'status', '__proto__x', '0', 'é'] })

/** Replaced by a number that is unique in the run, so that a case does not depend on the others. */
const NAME = 'REFERENCE'

const reference = fc.oneof(
  { weight: 12, arbitrary: fc.constant(JSON.stringify(NAME)) },
  { weight: 3, arbitrary: jsonString.map((text) => `${text.slice(0, -1)}${NAME}"`) },
  { weight: 1, arbitrary: jsonString },
)
const pushText = objectWith({
  module_name: jsonString,
  record_type: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom('"cases"', '"c\\u0061ses"') },
    { weight: 1, arbitrary: jsonString },
  ),
  reference_number: reference,
  full_name: jsonString,
  data: fc.oneof(
    { weight: 10, arbitrary: jsonObject },
    { weight: 1, arbitrary: fc.constant('[]') },
    { weight: 1, arbitrary: anyJson },
  ),
})

describe('fuzzed pushes', () => {
  const hubs = shareTwoHubs({ platform_name: 'fuzzed', modules: [MODULE] })
  let count = 0
  /** What each record must be after the pushes so far. */
  const states = new Map<string, Expected>()
  let counts: { records: number; history: number }[] = []
  before(async () => {
    counts = await Promise.all(hubs().map(countRecords))
  })

  const send = (push: Push) =>
    sendToBoth(hubs(), ({ registered }) => ({
      method: push.method,
      url: '/api/webhook/receive',
      headers: pushHeaders(registered.hub_api_key),
      body: push.bytes,
    }))

  async function countRecords({ hub }: RegisteredHub) {
    const [row] = await runSql(
      hub.storage,
      'SELECT (SELECT count(*) FROM records) AS records, (SELECT count(*) FROM record_history) AS history',
    )
    return { records: Number(row?.['records']), history: Number(row?.['history']) }
  }

  /** The record with this reference number as the API returns it, from both hubs; null without one. */
  async function readRecord(reference: string): Promise<ReferenceValue | null> {
    const query = new URLSearchParams({ reference_number: reference })
    const [response] = await sendToBoth(hubs(), ({ hub }) => ({
      url: `/api/v1/records?${query}`,
      headers: { authorization: hub.authorization('viewer') },
    }))
    assert.equal(response.status, 200, response.text)
    const page = readReference(response.text)
    const records = page?.kind === 'object' ? page.members.get('records') : undefined
    assert.ok(records?.kind === 'array')
    assert.ok(records.items.length <= 1)
    return records.items[0] ?? null
  }

  /** Sends pushes to one record and compares the responses and the stored record with the expected ones. */
  async function checkPushes(pushes: readonly Push[]): Promise<void> {
    const references = new Set<string>()
    const added = { records: 0, history: 0 }
    for (const push of pushes) {
      const [response] = await send(push)
      const code = expectHandled(response)
      const verdict = judge(push)
      const message = `${response.status} ${response.text.slice(0, 500)}`
      if (typeof verdict === 'string') {
        assert.equal(code, verdict, message)
        continue
      }
      assert.equal(code, null, message)
      const stored = states.get(verdict.reference) ?? null
      const { outcome, next } = apply(stored, verdict, push.method)
      states.set(verdict.reference, next)
      references.add(verdict.reference)
      assert.equal(stringOf(readReference(response.text), 'outcome'), outcome, message)
      assert.equal(response.status, outcome === 'created' ? 201 : 200)
      if (outcome === 'created') added.records += 1
      if (outcome === 'updated') added.history += 1
    }
    const [before, after] = [counts, await Promise.all(hubs().map(countRecords))]
    counts = after
    for (const [index, { records, history }] of before.entries()) {
      const expected = { records: records + added.records, history: history + added.history }
      assert.deepEqual(after[index], expected)
    }
    for (const reference of references) await expectStored(reference)
  }

  /** Asserts that both hubs have a record as the pushes so far require. */
  async function expectStored(reference: string): Promise<void> {
    const expected = states.get(reference)
    assert.ok(expected)
    const record = await readRecord(reference)
    assert.ok(record?.kind === 'object')
    assert.equal(stringOf(record, 'reference_number'), reference)
    assert.equal(stringOf(record, 'full_name'), expected.full_name)
    const data = record.members.get('data')
    assert.ok(data)
    assert.equal(storedText(data), textOf(expected.members))
  }

  test('each text of the corpus is accepted as data, or rejected, as RFC 8259 says', async () => {
    const pushOf = (members: string): Push => {
      count += 1
      const bytes = Buffer.from(
        `{"module_name":"m","record_type":"cases","reference_number":"json-${count}","full_name":"n","data":{${members}}}`,
      )
      return { method: 'POST', bytes }
    }
    for (const { text, valid } of JSON_TEXTS) {
      const isAccepted = isPossible(pushOf(`"a":${text}`))
      // Joined with the rest of the body, some invalid texts are valid.
      if (valid || readReference(`[${text}]`) === null) assert.equal(isAccepted, valid, text)
    }
    for (const { text } of sampleOf(JSON_TEXTS, 10)) await checkPushes([pushOf(`"a":${text}`)])
    const valid = JSON_TEXTS.filter((one) => one.valid)
    for (const group of groupsOf(valid)) {
      await checkPushes([pushOf(group.map(({ text }, index) => `"a${index}":${text}`).join())])
    }
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('each string of the corpus is stored as reference number, name, key and value', async () => {
    const bodyOf = (text: string, full_name: string) => ({
      module_name: text,
      record_type: 'cases',
      reference_number: text,
      full_name,
      data: { [text]: text, a: [text] },
    })
    for (const text of sampleOf(STRINGS, 8)) {
      const body = (full_name: string) => bodyOf(text, full_name)
      const bytes = Buffer.from(JSON.stringify(body(text)))
      await checkPushes([{ method: 'POST', bytes }])
      count += 1
      const other = { ...body('n'), reference_number: `string-${count}` }
      const encoded = Buffer.from(JSON.stringify(other))
      await checkPushes([{ method: 'PATCH', bytes: encoded }])
    }
    const possible = STRINGS.filter((text) =>
      isPossible({ method: 'POST', bytes: Buffer.from(JSON.stringify(bodyOf(text, 'n'))) }),
    )
    for (const group of groupsOf(possible)) {
      count += 1
      const data = Object.fromEntries(group.map((text) => [text, text]))
      const body = { ...bodyOf(`strings-${count}`, 'n'), data }
      await checkPushes([{ method: 'POST', bytes: Buffer.from(JSON.stringify(body)) }])
    }
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('generated pushes are stored as they were sent, or rejected', async () => {
    const push = fc.record({
      method: fc.constantFrom<Method>('POST', 'PATCH'),
      bytes: bytesOf(pushText, { damaged: 0.2 }),
    })
    await fuzz(fc.array(push, { minLength: 1, maxLength: 4 }), {
      quick: 8,
      deep: 5000,
      async check(pushes) {
        count += 1
        const own = Buffer.from(`f-${count}`)
        await checkPushes(
          pushes.map(({ method, bytes }) => ({ method, bytes: replaceAll(bytes, NAME, own) })),
        )
      },
    })
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('edited rejected pushes are stored as they were edited, or rejected again', async () => {
    await fuzz(fc.tuple(fc.constantFrom<Method>('POST', 'PATCH'), pushText), {
      quick: 5,
      deep: 3000,
      async check([method, edited]) {
        count += 1
        const own = `e-${count}`
        const text = edited.replaceAll(NAME, own)
        const [refused] = await send({
          method,
          bytes: Buffer.from(JSON.stringify({ reference_number: own })),
        })
        assert.equal(refused.status, 422)
        const ids = await Promise.all(hubs().map(({ hub }) => newestRejection(hub)))
        const [response] = await sendToBoth(hubs(), (one) => ({
          method: 'POST',
          url: `/api/v1/rejected-pushes/${ids[hubs().indexOf(one)]}/replay`,
          headers: {
            authorization: one.hub.authorization('operator'),
            'content-type': 'application/json',
          },
          body: `{"body":${text}}`,
        }))
        const code = expectHandled(response)
        // The body is a member of the request.
        const verdict = judge({ method, bytes: Buffer.from(text) }, MAX_JSON_DEPTH - 1)
        if (typeof verdict === 'string') return assert.equal(code, verdict, response.text)
        assert.equal(code, null, response.text)
        const { next } = apply(states.get(verdict.reference) ?? null, verdict, method)
        // A replay has the position of the rejected push, so a record of a later push would not change.
        if (!verdict.reference.includes(own)) return
        states.set(verdict.reference, next)
        await expectStored(verdict.reference)
      },
    })
    counts = await Promise.all(hubs().map(countRecords))
    assert.deepEqual(counts[1], counts[0])
    expectUnharmed(...hubs().map(({ hub }) => hub))
  })

  test('any headers of a push cause no unexpected status', async () => {
    const body = JSON.stringify({
      module_name: 'm',
      record_type: 'cases',
      reference_number: 'header',
      full_name: 'n',
      data: {},
    })
    const printable = anyString.map((text) => text.replaceAll(/[^\x20-\x7e\x80-\xff]/g, '').trim())
    const headers = fc.record(
      {
        'content-type': fc.oneof(
          fc.constantFrom(
            'application/json; charset=latin1',
            'application/json;charset=utf-16',
            'text/json',
            'application/vnd.api+json',
            'multipart/form-data; boundary=x',
            'application/x-www-form-urlencoded',
            'APPLICATION/JSON',
            'application/json, text/html',
            'application/jsonx',
          ),
          printable,
        ),
        'content-encoding': fc.oneof(
          fc.constantFrom('gzip', 'identity', 'br', 'IDENTITY', 'deflate, gzip', 'x-gzip', ''),
          printable,
        ),
        'x-api-key': fc.oneof(fc.constant(''), printable),
        'x-request-id': printable,
        accept: printable,
        traceparent: fc.oneof(
          fc.constant('00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'),
          printable,
        ),
        'ngrok-skip-browser-warning': printable,
        expect: fc.constantFrom('100-continue', 'x'),
      },
      { requiredKeys: [] },
    )
    const ACCEPTED = /^application\/(?:[\w.+-]+\+)?json(?:\s*;|$)/i
    await fuzz(headers, {
      quick: 10,
      deep: 3000,
      async check(given) {
        const [response] = await sendToBoth(
          hubs(),
          ({ registered }) => ({
            method: 'POST',
            url: '/api/webhook/receive',
            headers: { ...pushHeaders(registered.hub_api_key), ...given },
            body,
          }),
          { compare: ({ status }) => String(status) },
        )
        const code = expectHandled(response)
        const encoding = given['content-encoding'] ?? ''
        if (given['x-api-key'] !== undefined) assert.equal(code, 'api_key_invalid')
        else if (code === null) {
          assert.match(given['content-type'] ?? 'application/json', ACCEPTED)
          assert.match(encoding, /^(?:identity)?$/i)
        } else assert.equal(code, 'unsupported_media_type')
      },
    })
  })

  /** Whether the hub must accept a push to a record that does not exist. */
  function isPossible(push: Push): boolean {
    return typeof judge(push) !== 'string'
  }

  /** Whether the hub must accept a push: the code of the rejection, or the content to store. */
  function judge({ method, bytes }: Push, maxDepth = MAX_JSON_DEPTH): string | Content {
    const value = readReferenceBytes(bytes)
    if (!value || isDeeperThan(maxDepth, value) || hasKey(value, '__proto__')) return 'invalid_json'
    if (value.kind !== 'object') return 'invalid_record'
    const { members } = value
    const texts = ['module_name', 'record_type', 'reference_number', 'full_name', 'occurred_at']
    for (const name of texts) {
      const isOptional =
        name === 'occurred_at' || (method === 'PATCH' && /^(module|full)_name$/.test(name))
      const member = members.get(name)
      // For members that serialisers write where they are not set, null is as good as none.
      const isNull = member?.kind === 'literal' && member.text === 'null'
      const isUnset = isOptional && name !== 'full_name' && isNull
      if (member ? member.kind !== 'string' && !isUnset : !isOptional) return 'invalid_record'
    }
    const data = members.get('data')
    const isEmptyList = data?.kind === 'array' && data.items.length === 0
    if (data?.kind !== 'object' && !isEmptyList) return 'invalid_record'
    const record_type = stringOf(value, 'record_type') ?? ''
    const reference = stringOf(value, 'reference_number') ?? ''
    const full_name = stringOf(value, 'full_name')
    if (!isShort(record_type, MAX_RECORD_TYPE_BYTES)) return 'invalid_record'
    if (!isShort(reference, MAX_REFERENCE_BYTES)) return 'invalid_record'
    if (!isStorable(reference) || !isStorable(full_name ?? '')) return 'invalid_record'
    if (record_type !== 'cases') return 'module_not_registered'
    const entries = data?.kind === 'object' ? [...data.members] : []
    return {
      reference,
      full_name,
      members: new Map(entries.map(([key, one]) => [key, storedText(one)])),
    }
  }
})

async function newestRejection(hub: TestHub): Promise<number> {
  const { text } = await hub.get('/api/v1/rejected-pushes?limit=1')
  return Number(/"rejected_pushes":\[\{"id":(\d+)/.exec(text)?.[1])
}

type Content = { reference: string; full_name: string | null; members: Map<string, string> }

/** A push without `occurred_at`: POST replaces the record, PATCH sets the keys that it contains. */
function apply(stored: Expected | null, content: Content, method: Method) {
  const isPatch = method === 'PATCH'
  const next: Expected = {
    full_name: content.full_name ?? (isPatch && stored ? stored.full_name : ''),
    members: isPatch && stored ? new Map([...stored.members, ...content.members]) : content.members,
    incomplete: isPatch && (stored?.incomplete ?? true),
  }
  if (!stored) return { outcome: 'created', next }
  const isUnchanged =
    stored.full_name === next.full_name &&
    stored.incomplete === next.incomplete &&
    canonical(stored.members) === canonical(next.members)
  return isUnchanged ? { outcome: 'unchanged', next: stored } : { outcome: 'updated', next }
}

function textOf(members: Map<string, string>): string {
  const parts = [...members].map(([key, text]) => `${JSON.stringify(key)}:${text}`)
  const value = readReference(`{${parts.join()}}`)
  assert.ok(value)
  return storedText(value)
}

/** Equal for two objects that differ only in the order of their keys, at any level. */
function canonical(members: Map<string, string>): string {
  const value = readReference(textOf(members))
  assert.ok(value)
  return sorted(value)
}

function sorted(value: ReferenceValue): string {
  if (value.kind === 'array') return `[${value.items.map(sorted).join()}]`
  if (value.kind !== 'object') return storedText(value)
  const members = [...value.members].map(([key, one]) => `${JSON.stringify(key)}:${sorted(one)}`)
  return `{${members.sort().join()}}`
}

function isShort(text: string, maxBytes: number): boolean {
  return text !== '' && Buffer.byteLength(text) <= maxBytes
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\u0000')
}

function replaceAll(bytes: Buffer, name: string, value: Buffer): Buffer {
  return Buffer.from(bytes.toString('latin1').replaceAll(name, value.toString('latin1')), 'latin1')
}

/** Groups of a corpus, each for the members of one push. */
function groupsOf<Entry>(corpus: readonly Entry[]): Entry[][] {
  const size = 25
  return Array.from({ length: Math.ceil(corpus.length / size) }, (_, index) =>
    corpus.slice(index * size, (index + 1) * size),
  )
}
