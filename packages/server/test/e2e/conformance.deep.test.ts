/** Conformance checks in a browser: in the wizard. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { ConformanceReport } from '@recordhub/protocol'
import { Value } from 'typebox/value'
import { BROWSER_TEST, expectAccessibleInAllModes, openPage } from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import {
  findingRules,
  simulateConformingPlatform,
  validRecord,
} from '../helpers/platform/conformance-check.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('a conformance check in a browser', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, { withOperator: true })
  test('a registered platform is checked, and checked again after a fix', async () => {
    await using platform = await simulateConformingPlatform()
    const { id } = await hub.register(platform)
    platform.modules[0]?.records.push(validRecord(1))
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${id}`)
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Check conformance' }).click()
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
  })

  test('the wizard shows the findings with their records, and offers the report as files', async () => {
    await using platform = await simulateConformingPlatform()
    platform.modules[0]?.records.push(validRecord(1), { ...validRecord(8), full_name: '' })
    const { page } = await openPage(hub)
    await page.goto('/dashboard/platforms/new')
    await page.getByLabel('Base URL').fill(platform.source_base_url)
    await page.getByRole('textbox', { name: 'Source API key' }).fill(platform.source_api_key)
    await page.getByRole('button', { name: /^Test/ }).click()
    await page.getByRole('button', { name: 'Check conformance' }).click()
    await page.getByText('The platform does not conform to the specification').waitFor()
    const records = page.getByRole('region', { name: 'Records of Module cases' })
    await records.getByText('A reference_number occurs more than once').waitFor()
    await records.getByText('no. 4 (R-1)').waitFor()
    await records.getByText('full_name is empty.').waitFor()
    await expectAccessibleInAllModes(page)

    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download JSON' }).click()
    const saved = readFileSync(await (await downloading).path(), 'utf8')
    assert.ok(Value.Check(ConformanceReport, JSON.parse(saved)))
    assert.ok(!saved.includes(platform.source_api_key))
    const downloadingPage = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download HTML' }).click()
    const file = await downloadingPage
    assert.match(file.suggestedFilename(), /^conformance-platform_\d+-[\d-]+\.html$/)

    await page.goto('about:blank')
    await page.setContent(readFileSync(await file.path(), 'utf8'))
    await page.getByRole('heading', { name: 'Records of Module cases' }).waitFor()
    await expectAccessibleInAllModes(page)
  })
})
