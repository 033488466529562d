import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createMetricsRegistry } from './registry.ts'

test('counters and histograms appear with zeros before anything is counted', async () => {
  const registry = createMetricsRegistry()
  registry.counter({ name: 'a_total', help: 'A.' })
  registry.counters({ name: 'b_total', help: 'B.', label: 'kind', values: ['x', 'y'] })
  registry.histogram({ name: 'c_seconds', help: 'C.', bounds: [1] })
  assert.equal(
    await registry.render(),
    `# HELP a_total A.
# TYPE a_total counter
a_total 0
# HELP b_total B.
# TYPE b_total counter
b_total{kind="x"} 0
b_total{kind="y"} 0
# HELP c_seconds C.
# TYPE c_seconds histogram
c_seconds_bucket{le="1"} 0
c_seconds_bucket{le="+Inf"} 0
c_seconds_sum 0
c_seconds_count 0
`,
  )
})

test('a value on the bound of a bucket is in it, and buckets are cumulative', async () => {
  const registry = createMetricsRegistry()
  const { push, pull } = registry.histograms({
    ...{ name: 'c_seconds', help: 'C.', label: 'kind', values: ['push', 'pull'] },
    bounds: [0.5, 1],
  })
  for (const value of [0.25, 0.5, 0.75, 2]) push.observe(value)
  pull.observe(1)
  const lines = (await registry.render()).split('\n').filter((line) => !line.startsWith('#'))
  assert.deepEqual(lines, [
    'c_seconds_bucket{kind="push",le="0.5"} 2',
    'c_seconds_bucket{kind="push",le="1"} 3',
    'c_seconds_bucket{kind="push",le="+Inf"} 4',
    'c_seconds_sum{kind="push"} 3.5',
    'c_seconds_count{kind="push"} 4',
    'c_seconds_bucket{kind="pull",le="0.5"} 0',
    'c_seconds_bucket{kind="pull",le="1"} 1',
    'c_seconds_bucket{kind="pull",le="+Inf"} 1',
    'c_seconds_sum{kind="pull"} 1',
    'c_seconds_count{kind="pull"} 1',
    '',
  ])
})

test('collected metrics are read for each scrape, and their labels are escaped', async () => {
  const registry = createMetricsRegistry()
  let value = 1
  registry.collect(async () => [
    {
      ...{ name: 'd', help: 'First \\ second\nthird', type: 'gauge' as const },
      samples: [{ labels: { platform: 'a"b\\c\nd' }, value }],
    },
    { name: 'absent', help: 'Has no samples.', type: 'gauge', samples: [] },
  ])
  const expected = (at: number) =>
    `# HELP d First \\\\ second\\nthird\n# TYPE d gauge\nd{platform="a\\"b\\\\c\\nd"} ${at}\n`
  assert.equal(await registry.render(), expected(1))
  value = 2
  assert.equal(await registry.render(), expected(2))
})

test('a metric cannot be defined twice', () => {
  const registry = createMetricsRegistry()
  registry.counter({ name: 'a_total', help: 'A.' })
  assert.throws(() => registry.counter({ name: 'a_total', help: 'A.' }), /defined twice/)
})
