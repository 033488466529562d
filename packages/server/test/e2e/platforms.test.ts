/** The list of platforms in a browser, and what a viewer sees (specification 2.1). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage, shareBrowser } from '../helpers/browser/browser.ts'
import { COURT_TITLE, simulateCourt, startHubWithOperator } from '../helpers/browser/platforms.ts'
import { pullAll, registerPlatform } from '../helpers/hub/actions.ts'
import { createOperator } from '../helpers/hub/operators.ts'
import { respond, simulatePlatform } from '../helpers/platform/platform.ts'

describe('platforms in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the URL filters and sorts the list, and a viewer sees no controls that change anything', async () => {
    await using hub = await startHubWithOperator()
    await using court = await simulateCourt()
    await using archive = await simulatePlatform({ platform_name: 'archive' })
    const { id } = await registerPlatform(hub, court)
    await registerPlatform(hub, archive)
    court.setResponse('records/cases', respond.status(500))
    court.setResponse('records/visits', respond.status(500))
    await pullAll(hub)
    const operator = await createOperator(hub, { role: 'viewer' })
    await using opened = await openPage(browser(), hub, { operator })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/platforms?sort=title&direction=desc')
    const titles = page.getByRole('row').getByRole('link')
    await titles.first().waitFor()
    assert.deepEqual(await titles.allInnerTexts(), [COURT_TITLE, 'Title of archive'])
    await page.getByRole('combobox', { name: 'Health' }).click()
    await page.getByRole('option', { name: 'Failing' }).click()
    await page.getByRole('link', { name: 'Title of archive' }).waitFor({ state: 'detached' })
    assert.equal(new URL(page.url()).searchParams.get('health'), 'failing')
    await page.goBack()
    await page.getByRole('link', { name: 'Title of archive' }).waitFor()
    assert.equal(await page.getByRole('link', { name: 'Register a platform' }).count(), 0)
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByText('Requires the operator role').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Test connection' }).count(), 0)
    await page.getByText('Last pull failed').waitFor()
    assert.deepEqual(pageErrors, [])
  })
})
