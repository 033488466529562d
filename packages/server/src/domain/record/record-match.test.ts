import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseLossless } from '@recordhub/protocol/lossless-json'
import { createMatcher } from './record-match.ts'
import { parseRecordQuery } from './record-query.ts'

const RECORD = {
  reference_number: 'R-1',
  full_name: 'Ann Müller',
  data: parseLossless(
    '{"status":"Open","grade":"7","score":9007199254740993,"price":1.10,"on":"2026-03-10","at":"2026-03-10T08:00:00Z","local":"2026-03-10 08:00","none":null,"blank":"","yes":true,"list":["a",1],"long":"' +
      `${'x'.repeat(256)}y"}`,
  ),
  incomplete: false,
  missing_since: null,
  created_at: '2026-03-10T08:00:00.000Z',
  updated_at: '2026-03-11T08:00:00.000Z',
}
const KINDS = new Map([
  ['data.score', 'number'],
  ['data.price', 'number'],
  ['data.status', 'number'],
  ['data.on', 'date'],
  ['data.at', 'date'],
  ['data.local', 'date'],
  ['data.yes', 'boolean'],
] as const)

for (const [query, expected] of [
  ['', true],
  ['reference_number=R-1', true],
  ['reference_number=r-1', false],
  ['incomplete=false&missing=false', true],
  ['incomplete=true', false],
  ['missing=true', false],
  ['changed_since=2026-03-11T08:00:00Z', true],
  ['changed_since=2026-03-11T08:00:01Z', false],
  ['q=ann open', true],
  ['q=ann closed', false],
  ['filter[status]=Open', false],
  ['filter[status][starts]=Open', true],
  ['filter[list][starts]=["a"', true],
  ['filter[status][contains]=OPE', true],
  ['filter[hub_full_name][contains]=mull', true],
  ['filter[hub_full_name][contains]=Mu\u00adłł', true],
  ['filter[hub_full_name][starts]=Ann', true],
  ['filter[hub_full_name][starts]=ann', false],
  ['filter[grade]=7', true],
  ['filter[grade]=7.0', false],
  ['filter[score]=9007199254740993', true],
  ['filter[score]=9007199254740992', false],
  ['filter[score][after]=9007199254740993&filter[score][before]=9007199254740994', true],
  ['filter[price]=1.1', true],
  ['filter[price][before]=2', true],
  ['filter[price][before]=1.1', false],
  ['filter[price][after]=1,000', false],
  ['filter[price][before]=abc', false],
  ['filter[status][after]=1', false],
  [`filter[long]=${'x'.repeat(256)}`, false],
  ['filter[on][after]=2026-03-10&filter[on][before]=2026-03-11', true],
  ['filter[at][after]=2026-03-10&filter[at][before]=2026-03-11', true],
  ['filter[on][after]=2026-03-11', false],
  ['filter[on][after]=2026', false],
  ['filter[on]=2026-03-10T00:00Z', true],
  ['filter[at]=2026-03-10', true],
  ['filter[at]=2026-03-10T08:00Z', true],
  ['filter[at]=2026-03-10T10:00%2B02:00', true],
  ['filter[at]=2026-03-10T08:00:01Z', false],
  ['filter[at][before]=2026-03-10T08:00-00:30', true],
  ['filter[at][after]=2026-03-10T08:00-00:30', false],
  ['filter[local]=2026-03-10T08:00', true],
  ['filter[local][after]=2026-03-10T08:00:00.000000001Z', false],
  ['filter[long][after]=a&filter[long][after]=x', true],
  ['filter[long][contains]=x&filter[long][contains]=z', false],
  ['filter[hub_created_at]=2026-03-10T08:00:00Z', true],
  ['filter[hub_created_at]=2026-03-10', true],
  ['filter[hub_created_at][before]=2026-03-10T08:01%2B00:00', true],
  ['filter[hub_created_at][after]=yesterday', false],
  ['filter[hub_created_at][after]=2026-03-10T08:00:00Z', true],
  ['filter[hub_created_at][before]=2026-03-10T08:00:00Z', false],
  ['filter[hub_created_at][before]=2026-03-10T08:30:00%2B01:00', false],
  ['filter[hub_created_at][starts]=2026-03-10T08:00:00Z', false],
  ['filter[hub_created_at][starts]=2026-03-10T08', true],
  ['filter[hub_updated_at][after]=2026-03-11&filter[hub_updated_at][before]=2026-03-12', true],
  ['filter[none][empty]=true', true],
  ['filter[blank][empty]=true', true],
  ['filter[absent][empty]=true', true],
  ['filter[toString][empty]=true', true],
  ['filter[yes][empty]=false', true],
  ['filter[none]=null', false],
  ['filter[blank]=', true],
  ['filter[absent]=', false],
  ['filter[absent][before]=z', false],
  ['filter[blank][before]=z', false],
  ['filter[yes]=true', true],
  ['filter[list]=["a",1]', true],
  ['filter[list][contains]=a', true],
  ['filter[hub_missing_since][empty]=true', true],
  ['filter[yes]=true&filter[grade]=8', false],
] as const) {
  test(`${query || 'an empty query'} ${expected ? 'matches' : 'does not match'} the record`, () => {
    const parsed = parseRecordQuery(new URLSearchParams(query))
    assert.ok(parsed.ok)
    const matches = createMatcher(parsed.query, KINDS)
    assert.equal(matches(RECORD), expected)
  })
}
