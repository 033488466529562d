import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Findings, RULES, validateSpeed } from '@recordhub/platform-checker'
import {
  findingRules,
  runConformanceCheck,
  simulateConformingPlatform,
  validRecord,
} from '../helpers/platform/conformance-check.ts'
import {
  DIGEST_DEFECTS,
  offerDigest,
  VERSIONED,
  withVersion,
} from '../helpers/platform/digest-defects.ts'
import { respond } from '../helpers/platform/platform.ts'
import { DEFECTS } from '../helpers/platform/platform-defects.ts'

/** Rules that only slow or very large responses violate. */
const SPEED_AND_SIZE_RULES = [
  'records.slow_start',
  'records.slow',
  'records.large_response',
  'records.etag_missing',
]

test('a conforming platform gets a report without findings', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const { report } = await runConformanceCheck(platform)
  assert.deepEqual(findingRules(report), [])
  assert.equal(report.success && report.reached && report.complete, true)
  assert.deepEqual(
    report.endpoints.map(({ endpoint }) => endpoint),
    ['connection', 'ping', 'manifest', 'records/cases', 'search'],
  )
  assert.equal(report.endpoints[3]?.records, 3)
})

test('list, digest and prefix of a conforming platform agree', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  offerDigest()(platform)
  const { report } = await runConformanceCheck(platform)
  assert.deepEqual(findingRules(report), [])
  const passed = report.endpoints[3]?.passed.join(' ') ?? ''
  assert.match(passed, /List and digest agree: 20 records .* \?prefix=[0-9a-f]{3} has the records/)
})

test('a platform with versions but without a digest has no finding', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  offerDigest({ digestStatus: 404 })(platform)
  assert.deepEqual(findingRules((await runConformanceCheck(platform)).report), [])
})

test('a digest that disagrees names the record and its version', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  offerDigest({ digested: () => withVersion('R-7', 'another') })(platform)
  const { report } = await runConformanceCheck(platform)
  const [finding] = report.endpoints[3]?.findings ?? []
  assert.equal(finding?.message, 'List and digest disagree in 1 of 20 buckets.')
  assert.deepEqual(finding.examples, [{ element: null, reference: 'R-7', found: 'version 6' }])
})

for (const [number, { rule, endpoint, arrange, limits, example }] of [
  ...DEFECTS,
  ...DIGEST_DEFECTS,
].entries()) {
  test(`${number + 1}: ${rule} is reported at ${endpoint}`, async (t) => {
    const platform = await simulateConformingPlatform()
    t.after(() => platform[Symbol.asyncDispose]())
    arrange(platform)
    const { report } = await runConformanceCheck(platform, limits)
    const findings = report.endpoints.flatMap((one) =>
      one.endpoint === endpoint ? one.findings : [],
    )
    const finding = findings.find((one) => one.rule === rule)
    assert.ok(finding, findingRules(report).join(', '))
    const { severity }: { severity: string } = { severity: 'error', ...Object(RULES)[rule] }
    assert.equal(finding.severity, severity)
    assert.doesNotMatch(finding.message, /\{\w+\}/, 'every placeholder of the message is filled')
    if (example) assert.match(finding.examples.map((one) => one.found).join(' '), example)
    assert.equal(report.success, report.errors === 0)
  })
}

test('the table of defects covers every rule except those of speed and size', () => {
  const covered: Set<string> = new Set([...DEFECTS, ...DIGEST_DEFECTS].map(({ rule }) => rule))
  const rules = Object.keys(RULES).filter((rule) => !rule.startsWith('push.'))
  const uncovered = rules.filter((rule) => !covered.has(rule))
  assert.deepEqual(uncovered, SPEED_AND_SIZE_RULES)
})

test('the guide has the heading that each rule names, and no heading twice', () => {
  const folder = new URL('../../../../docs/platform-guide/', import.meta.url)
  const headings = readdirSync(folder)
    .filter((name) => /^\d/.test(name))
    .flatMap((name) => [
      ...readFileSync(new URL(name, folder), 'utf8').matchAll(/^##{1,2} (.+)$/gm),
    ])
    .map(([, heading]) => heading)
  assert.deepEqual(headings.toSorted(), [...new Set(headings)].toSorted())
  const unknown = Object.values(RULES).filter(({ section }) => !headings.includes(section))
  assert.deepEqual(unknown, [])
})

test('slow and very large responses are reported', () => {
  const rulesFor = (read: Partial<Parameters<typeof validateSpeed>[1]>) => {
    const findings = new Findings((text) => text, 'Errors of your endpoints')
    const fast = { records: 1000, bytes: 1000, start_ms: 100, took_ms: 1000, hasValidators: true }
    validateSpeed(findings, { ...fast, ...read })
    return findings.list().map(({ rule }) => rule)
  }
  assert.deepEqual(rulesFor({}), [])
  assert.deepEqual(rulesFor({ start_ms: 31_000, took_ms: 31_000, records: 1e6 }), [
    'records.slow_start',
  ])
  assert.deepEqual(rulesFor({ took_ms: 10_000 }), ['records.slow'])
  assert.deepEqual(rulesFor({ bytes: 200 * 1024 * 1024 }), ['records.large_response'])
  assert.deepEqual(rulesFor({ bytes: 4_900_000, hasValidators: false }), [])
  assert.deepEqual(rulesFor({ bytes: 5_000_000, hasValidators: false }), ['records.etag_missing'])
})

test('an issue in many records is one finding with its count and first examples', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const [module] = platform.modules
  assert.ok(module)
  module.records = Array.from({ length: 50 }, (_, number) => ({
    ...validRecord(number),
    full_name: '',
  }))
  const { report, lines } = await runConformanceCheck(platform)
  const [finding] = report.endpoints[3]?.findings ?? []
  assert.equal(finding?.count, 50)
  assert.equal(finding.examples.length, 5)
  assert.deepEqual(finding.examples[1], { element: 2, reference: 'R-1', found: '' })
  const sent = lines.filter((line) => line.kind === 'finding')
  assert.equal(sent.length, 1, 'the finding is sent once while the records are read')
})

test('all pages are read, and positions are counted across pages', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const pages = [
    [validRecord(1), validRecord(2)],
    [validRecord(3), validRecord(1)],
  ]
  platform.setResponse('records/cases', respond.pages(...pages))
  const { report } = await runConformanceCheck(platform)
  const records = report.endpoints.find(({ endpoint }) => endpoint === 'records/cases')
  assert.equal(records?.records, 4)
  const duplicate = records.findings.find(({ rule }) => rule === 'record.duplicate')
  assert.deepEqual(duplicate?.examples, [{ element: 4, reference: 'R-1', found: '' }])
})

test('a bucket whose list has pages is not said to be incomplete', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const [module] = platform.modules
  assert.ok(module)
  module.records = [...VERSIONED]
  offerDigest({ prefixHasPages: true })(platform)
  const { report } = await runConformanceCheck(platform)
  assert.deepEqual(
    findingRules(report).filter((rule) => rule.includes('digest.')),
    [],
  )
})

test('an unreachable platform is reported as unreachable', async () => {
  const target = { source_base_url: 'http://127.0.0.1:1', source_api_key: 'some-key-0123456789' }
  const { report } = await runConformanceCheck(target)
  assert.deepEqual(findingRules(report), ['connection platform_unreachable'])
  assert.equal(report.reached, false)
})

test('the source API key is in no report, even if responses contain it', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const key = platform.source_api_key
  const leaking = { success: true, message: `key ${key}`, platform_name: platform.platform_name }
  platform.setResponse('ping', respond.json(leaking))
  platform.setResponse('search', respond.json({ success: false, message: key }))
  const [module] = platform.modules
  assert.ok(module)
  module.records = [{ ...validRecord(1), reference_number: `${key} `, [key]: 1 }]
  const { report, lines } = await runConformanceCheck(platform)
  assert.ok(!JSON.stringify([report, lines]).includes(key))
})

test('aborting the signal ends the check', async (t) => {
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const controller = new AbortController()
  platform.setResponse('records/cases', () => controller.abort())
  await assert.rejects(runConformanceCheck(platform, { signal: controller.signal }), {
    name: 'AbortError',
  })
})
