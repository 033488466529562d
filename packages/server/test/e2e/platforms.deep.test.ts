/** A changed manifest on the page of a platform (specification 2.1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectAccessible, openPage } from '../helpers/browser/browser.ts'
import { COURT_TITLE, simulateCourt, startHubWithOperator } from '../helpers/browser/platforms.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { respond, simulatePlatform } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

describe('platforms in a browser', BROWSER_TEST, () => {
  test('the URL filters and sorts the list, and a viewer sees no controls that change anything', async () => {
    await using hub = await startHubWithOperator()
    await using court = await simulateCourt()
    await using archive = await simulatePlatform({ platform_name: 'archive' })
    const { id } = await hub.register(court)
    await hub.register(archive)
    court.setResponse('records/cases', respond.status(500))
    court.setResponse('records/visits', respond.status(500))
    await hub.pullAll()
    const operator = await hub.createOperator({ role: 'viewer' })
    const { page } = await openPage(hub, { operator })
    await page.goto('/dashboard/platforms?sort=title&direction=desc')
    const titles = page.getByRole('row').getByRole('link')
    await titles.first().waitFor()
    assert.deepEqual(await titles.allInnerTexts(), [COURT_TITLE, 'Title of archive'])
    await page.getByRole('button', { name: 'Failing' }).click()
    await page.getByRole('link', { name: 'Title of archive' }).waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('health'), 'failing')
    await page.goBack()
    await page.getByRole('link', { name: 'Title of archive' }).waitFor()
    await page.getByRole('searchbox').fill('nowhere')
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('link', { name: 'Title of archive' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Register a platform' }).count(), 0)
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByText('Requires the operator role').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Test Connection' }).count(), 0)
    await page.getByText('The last pull failed').first().waitFor()
  })

  test('a changed manifest is shown field by field, and rejected pushes of a new module are replayed', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { id, hub_api_key } = await hub.register(platform, { record_types: ['cases'] })
    for (const reference of ['V-1', 'V-2']) {
      const rejected = newRecord(reference, { record_type: 'visits', module_name: 'Visits' })
      assert.equal((await hub.push(hub_api_key, rejected)).status, 422)
    }
    platform.modules[0]?.fields.push({
      key: 'judge',
      label: 'Judge',
      type: 'string',
      required: false,
    })
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${id}`)
    await page.getByRole('button', { name: 'Refresh manifest' }).click()
    await page.getByText('The manifest has changed', { exact: true }).waitFor()
    await page.getByText('Field Judge (judge) of cases').first().waitFor()
    await page.getByRole('cell', { name: 'judge', exact: true }).waitFor()
    await page.getByRole('combobox', { name: /not matching the manifest/ }).click()
    await page.getByRole('option', { name: /Reject and save/ }).click()
    await page.getByText('The policy applies to records received from now on').waitFor()
    await page.getByRole('combobox', { name: 'Indexed fields of Cases' }).click()
    const indexed = page.waitForResponse(
      (one) => one.url().endsWith('/indexed-fields') && one.request().method() === 'PUT',
    )
    await page.getByRole('option', { name: 'Judge' }).click()
    assert.equal((await indexed).status(), 200)
    await page.keyboard.press('Escape')
    await expectAccessible(page)

    await page.getByRole('button', { name: /^Visits visits/ }).click()
    await page.getByText('2 pushes rejected', { exact: true }).last().waitFor()
    await page.getByRole('button', { name: 'Register Visits' }).click()
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await page.getByText('Test result: 2 new.').waitFor()
    assert.equal((await hub.records('court')).length, 0)
    await page.getByRole('button', { name: 'Replay all' }).click()
    await page.getByText('Replayed: 2 new.').waitFor()
    assert.equal((await hub.records('court')).length, 2)
    await page.getByRole('button', { name: 'Unregister Visits' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unregister' }).click()
    await page.getByRole('button', { name: 'Delete records' }).click()
    await page.getByLabel('Type visits to confirm').fill('visits')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete records' }).click()
    await until(async () => ((await hub.records('court')).length === 0 ? true : null), 'deleted')
    const kinds = (await hub.activity()).map((entry) => entry.kind)
    assert.ok(kinds.includes('module.indexed_fields') && kinds.includes('module.drift_policy'))
  })
})
