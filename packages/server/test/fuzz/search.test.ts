/** Any search response of a platform: the search ends with an outcome of this platform, and never fails as a whole. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { FoundRecord } from '@recordhub/protocol'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { Value } from 'typebox/value'
import { parseSearchResponse } from '../../src/domain/search/search-response.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { type SimulatedPlatform, simulatePlatform } from '../helpers/platform/platform.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { anyText, bytesOf, jsonString, jsonValue, objectWith } from './arbitraries.ts'
import { expectHandled, expectUnharmed, fuzz } from './checks.ts'
import { readReference } from './reference-json.ts'

const record = objectWith({
  reference_number: jsonString,
  full_name: jsonString,
  name: jsonString,
  data: jsonValue,
  id: jsonValue,
})
const list = fc
  .array(fc.oneof({ weight: 6, arbitrary: record }, { weight: 1, arbitrary: jsonValue }), {
    maxLength: 4,
  })
  .map((items) => `[${items.join()}]`)
const content = fc.oneof(list, record, jsonValue)
const container = fc.constantFrom(
  'records',
  'results',
  'data',
  'items',
  'person',
  'employee',
  'message',
  'success',
  'constructor',
)
const response = fc.oneof(
  content,
  fc
    .array(fc.tuple(container, content), { maxLength: 3 })
    .map((members) => `{${members.map(([key, text]) => `"${key}":${text}`).join()}}`),
  fc
    .tuple(container, container, content)
    .map(([outer, inner, text]) => `{"${outer}":{"${inner}":${text},"current_page":1}}`),
)

describe('fuzzed search responses', () => {
  let hub: TestHub
  let platform: SimulatedPlatform
  before(async () => {
    hub = await startTestHub(sqliteEngine)
    platform = await simulatePlatform()
    await hub.register(platform)
  })
  after(async () => {
    await platform[Symbol.asyncDispose]()
    await hub[Symbol.asyncDispose]()
  })

  test('records found in any JSON have the members of a found record', async () => {
    await fuzz(fc.tuple(response, fc.nat({ max: 5 })), {
      quick: 60,
      deep: 50_000,
      check([text, limit]) {
        const parsed = parseSearchResponse(parseLossless(text), limit)
        if (parsed.outcome === 'raw') return
        assert.ok(parsed.records.length <= Math.min(limit, parsed.found))
        for (const found of parsed.records) {
          assert.ok(
            Value.Check(FoundRecord, JSON.parse(JSON.stringify(found))),
            JSON.stringify(found),
          )
        }
      },
    })
  })

  test('a search ends with an outcome for each platform, whatever it responds', async () => {
    await fuzz(
      fc.tuple(bytesOf(response), anyText, fc.constantFrom(200, 200, 200, 404, 500, 204)),
      {
        quick: 8,
        deep: 2000,
        async check([bytes, query, status]) {
          platform.setResponse('search', (sent) => {
            sent
              .writeHead(status, { 'content-type': 'application/json' })
              .end(status === 204 ? undefined : bytes)
          })
          const result = await hub.get(`/api/v1/search?${new URLSearchParams({ query })}`)
          if (expectHandled(result) !== null) return
          const lines = result.text
            .trimEnd()
            .split('\n')
            .map((line) => readReference(line))
          assert.ok(
            lines.every((line) => line?.kind === 'object'),
            result.text,
          )
          const outcome = /"kind":"platform".*?"outcome":"(\w+)"/.exec(result.text)?.[1]
          // Invalid UTF-8 is shown as U+FFFD, since nothing is stored.
          const isValid = status === 200 && readReference(new TextDecoder().decode(bytes)) !== null
          if (!isValid && result.text.includes('"kind":"platform"'))
            assert.notEqual(outcome, 'found', result.text)
          assert.match(result.text, /"kind":"end"/)
        },
      },
    )
    expectUnharmed(hub)
  })
})
