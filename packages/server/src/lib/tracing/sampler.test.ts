import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isSampled, parseTraceparent } from './tracer.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const SPAN_ID = '00f067aa0ba902b7'
const parent = (isSampledThere: boolean) => ({
  ...{ traceId: TRACE_ID, spanId: SPAN_ID },
  isSampled: isSampledThere,
})

test('a parent decides only for samplers that are based on it', () => {
  for (const flag of [true, false]) {
    assert.equal(
      isSampled({ name: 'parentbased_always_on', ratio: 1 }, TRACE_ID, parent(flag)),
      flag,
    )
    assert.equal(
      isSampled({ name: 'parentbased_always_off', ratio: 1 }, TRACE_ID, parent(flag)),
      flag,
    )
    assert.equal(isSampled({ name: 'always_on', ratio: 1 }, TRACE_ID, parent(flag)), true)
    assert.equal(isSampled({ name: 'always_off', ratio: 1 }, TRACE_ID, parent(flag)), false)
  }
  assert.equal(isSampled({ name: 'parentbased_always_on', ratio: 1 }, TRACE_ID, null), true)
  assert.equal(isSampled({ name: 'parentbased_always_off', ratio: 1 }, TRACE_ID, null), false)
})

test('a ratio selects traces by the random part of their id', () => {
  const edges = ['0'.repeat(14), '07'.repeat(7), '08'.repeat(7), 'f'.repeat(14)]
  const ids = edges.map((random) => `${'1'.repeat(18)}${random}`)
  const sampled = (ratio: number) =>
    ids.map((id) => isSampled({ name: 'traceidratio', ratio }, id, null))
  assert.deepEqual(sampled(0), [false, false, false, false])
  assert.deepEqual(sampled(0.5), [true, true, false, false])
  assert.deepEqual(sampled(1), [true, true, true, true])
})

test('traceparent is read as the W3C specifies', () => {
  const header = `00-${TRACE_ID}-${SPAN_ID}-01`
  assert.deepEqual(parseTraceparent(header), parent(true))
  assert.deepEqual(parseTraceparent(`00-${TRACE_ID}-${SPAN_ID}-02`), parent(false))
  assert.deepEqual(parseTraceparent(`cc-${TRACE_ID}-${SPAN_ID}-03-what-comes-later`), parent(true))
  const invalid = [
    ...[undefined, '', [header, header], `ff-${TRACE_ID}-${SPAN_ID}-01`, `${header}-more`],
    ...[`00-${'0'.repeat(32)}-${SPAN_ID}-01`, `00-${TRACE_ID}-${'0'.repeat(16)}-01`],
    ...[header.toUpperCase(), header.slice(1), ` ${header}`],
  ]
  for (const value of invalid) assert.equal(parseTraceparent(value), null, String(value))
})
