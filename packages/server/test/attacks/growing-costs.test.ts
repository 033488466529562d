/**
 * Inputs whose cost once grew with the square of their length. While the main thread works on one, it answers no push, no
 * sign-in and no health check.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { significantDigits } from '@recordhub/protocol/lossless-json'
import type { RecordState } from '../../src/domain/record/record.ts'
import { createMatcher } from '../../src/domain/record/record-match.ts'
import { NO_FILTER } from '../../src/domain/record/record-query.ts'
import { hashValue } from '../../src/domain/revert/hold.ts'
import { holdBack } from '../../src/domain/revert/hold-back.ts'
import { foldText } from '../../src/domain/search/fold-text.ts'
import { recordTokens } from '../../src/domain/search/search-tokens.ts'
import { sheetRow } from '../../src/lib/files/xlsx.ts'
import { dedupeNames } from '../../src/lib/text/dedupe-names.ts'
import { parseSourceUrl } from '../../src/platform-client/platform-client.ts'
import { assertLinear } from '../growth/growth.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'

/** Marks in an order that normalisation reverses. */
const MARKS: readonly (readonly [string, (half: number) => string])[] = [
  ['accents', (half) => `a${'\u0315'.repeat(half)}${'\u0300'.repeat(half)}`],
  ['marks of other scripts', (half) => `a${'\u20d0'.repeat(half)}${'\u302a'.repeat(half)}`],
  ['halfwidth sound marks', (half) => `a${'\u0315\uff9e'.repeat(half)}`],
  ['marks that consist of two', (half) => `a${'\u0f73'.repeat(half)}`],
  [
    'marks outside of the basic plane',
    (half) => `a${'\u{1d16d}'.repeat(half)}${'\u{1d165}'.repeat(half)}`,
  ],
]

for (const [what, textOf] of MARKS) {
  test(`the time for folding grows with the number of ${what}`, () =>
    assertLinear(8000, (size) => {
      const text = textOf(size / 2)
      return () => foldText(text)
    }))
}

test('the time for indexing a record grows with the number of marks', () =>
  assertLinear(8000, (size) => {
    const data = JSON.stringify({ a: `a${'\u0315'.repeat(size / 2)}${'\u0300'.repeat(size / 2)}` })
    return () => recordTokens({ full_name: 'a', reference_number: 'a', data })
  }))

test('a filter reads only the beginning of a value, however long it is', async () => {
  const condition = { column: 'data.a', test: 'contains', value: 'zzz' } as const
  const matches = createMatcher({ ...NO_FILTER, conditions: [condition] }, new Map())
  const record = (a: string) => ({
    ...{ reference_number: 'a', full_name: 'a', incomplete: false, missing_since: null },
    ...{ created_at: '', updated_at: '', data: { a } },
  })
  assert.equal(matches(record(`${'é'.repeat(32_765)}zzz`)), true)
  assert.equal(matches(record(`${'é'.repeat(32_766)}zzz`)), false)
  await assertLinear(35_000, (size) => {
    const one = record(`a${'\u0315'.repeat(size / 2)}${'\u0300'.repeat(size / 2)}`)
    return () => matches(one)
  })
})

test('the time for a base URL grows with the number of its slashes', () =>
  assertLinear(8000, (size) => {
    const url = `http://host/${'/'.repeat(size)}a`
    return () => parseSourceUrl(url)
  }))

test('the time for an exported number grows with the number of its digits', () =>
  assertLinear(8000, (size) => {
    const number = JSON.rawJSON(`1${'0'.repeat(size)}1`)
    return () => sheetRow(1, [number], [])
  }))

test('the time for the digits of a number in the conformance check grows with their number', () =>
  assertLinear(8000, (size) => {
    const number = `1.${'0'.repeat(size)}1`
    return () => significantDigits(number)
  }))

test('the time for unique names grows with the number of equal ones', () =>
  assertLinear(1000, (size) => {
    // Equal without regard to case, or as long as a name may be.
    const names = Array.from({ length: size }, (_, at) => (at % 2 ? 'a' : `${'x'.repeat(63)}${at}`))
    return () => dedupeNames(names, 63)
  }))

test('the time for holding a write back grows with the number of its held values', () =>
  assertLinear(1000, (size) => {
    const keys = Array.from({ length: size }, (_, at) => `k${at}`)
    const stateOf = (value: number): RecordState => ({
      ...{ full_name: 'a', incomplete: false, missing_since: null, fingerprint: null },
      ...{ version: null, field_clocks: null, pushed_seq: 0, pushed_at: null, pulled_at: null },
      data: JSON.stringify(Object.fromEntries(keys.map((key) => [key, value]))),
    })
    const [stored, next] = [stateOf(1), stateOf(2)]
    const refused = hashValue(2)
    const holds = keys.map((key) => ({ revert_id: 1, path: `/data/${key}`, refused }))
    const { full_name, data } = next
    const content = { source: 'POST' as const, full_name, data, occurred_at: null }
    const decision = { outcome: 'updated' as const, next, changes: [] }
    return () => assert.equal(holdBack(stored, decision, { holds, content }).held.outcome, 'held')
  }))

describeHub('requests of anyone', (hub) => {
  test('the time for a path grows with the number of its slashes', () =>
    assertLinear(3900, (size) => {
      const url = `/x${'/'.repeat(size)}a`
      return async () => assert.equal((await hub.send({ url })).status, 404)
    }))
})
