import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConformanceReport } from '@recordhub/protocol'
import { findingRules, validRecord } from '../helpers/platform/conformance-check.ts'
import { respond } from '../helpers/platform/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'
import { setUp } from './check-platform.ts'

test('a conforming platform passes without a hub and with invalid hub settings', async (t) => {
  const { check, key } = await setUp(t)
  const env = {
    SOURCE_API_KEY: key,
    DATABASE_URL: 'nonsense',
    HUB_PULL_SCHEDULE: 'nonsense',
  }
  const { code, stdout, stderr } = await check([], env)
  assert.deepEqual(stderr, [])
  assert.equal(code, 0)
  const conforms = /^The platform conforms\. 0 errors, \d+ warnings?, 0 notes\.$/
  assert.match(stdout.at(-1) ?? '', conforms)
  assert.match(stdout.join('\n'), /^Records of Module cases: 3 records/m)
  const strict = await check(['--strict', '--json'], env)
  const report: ConformanceReport = JSON.parse(strict.stdout.join('\n'))
  assert.deepEqual(findingRules(report), [])
  assert.equal(strict.code, report.warnings === 0 ? 0 : 1)
})

if (isDeep)
  test('errors fail the check, warnings fail it with --strict, and the report contains neither the key nor control characters', async (t) => {
    const { check, module, platform, key, folder } = await setUp(t)
    module.records = [{ ...validRecord(1), full_name: '' }]
    assert.equal((await check([])).code, 0)
    const { platform_name } = platform
    const message = '\u001b[31mred\u0007\nsecond'
    platform.setResponse('ping', respond.json({ success: true, message, platform_name }))
    const strict = await check(['--strict', '--html', 'report.html'])
    assert.equal(strict.code, 1)
    const text = strict.stdout.join('\n')
    assert.ok(!text.includes('\u001b') && !text.includes('\u0007'))
    const html = readFileSync(join(folder, 'report.html'), 'utf8')
    assert.match(html, /full_name is empty/)
    assert.ok(!html.includes(key))
    assert.doesNotMatch(html, /<script|https?:\/\/(?!127\.0\.0\.1)|src=/)
    module.records = [{ ...validRecord(1), reference_number: 7 }]
    const { code, stdout } = await check(['--json'])
    assert.equal(code, 1)
    const report: ConformanceReport = JSON.parse(stdout.join('\n'))
    assert.equal(report.success, false)
    assert.ok(findingRules(report).includes('records/cases record.reference'))
  })
