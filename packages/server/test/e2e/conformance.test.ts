/** Conformance checks in a browser: of a registered platform. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ConformanceReport } from '@recordhub/protocol'
import { Value } from 'typebox/value'
import { BROWSER_TEST, openPage, shareBrowser } from '../helpers/browser/browser.ts'
import { registerPlatform, shareHub } from '../helpers/hub/actions.ts'
import {
  findingRules,
  simulateConformingPlatform,
  validRecord,
} from '../helpers/platform/conformance-check.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('a conformance check in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('a registered platform is checked, and checked again after a fix', async () => {
    await using platform = await simulateConformingPlatform()
    const { id } = await registerPlatform(hub(), platform)
    platform.modules[0]?.records.push(validRecord(1))
    await using opened = await openPage(browser(), hub())
    const { page, pageErrors } = opened
    await page.goto(`/dashboard/platforms/${id}`)
    await page.getByRole('button', { name: 'Check conformance' }).click()
    await page.getByText('The platform does not conform to the specification').waitFor()
    platform.modules[0]?.records.pop()
    await page.getByRole('button', { name: 'Check again' }).click()
    await page.getByText('The platform conforms to the specification').waitFor()
    await page.getByText(/^0 errors, .* Nothing was saved\.$/).waitFor()
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download JSON' }).click()
    const report = JSON.parse(readFileSync(await (await downloading).path(), 'utf8'))
    assert.ok(Value.Check(ConformanceReport, report))
    assert.deepEqual(findingRules(report), [])
    assert.deepEqual(pageErrors, [])
  })
})
