/** A pull in a browser: it is started, followed and cancelled on the overview, and listed on its page. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const PULL_ALL = '/dashboard/pull-all-existing-records'

describe('pulls in a browser', BROWSER_TEST, () => {
  test('the form starts a pull without a reload, a second pull is not started, and the pull is cancelled', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using platform = await hub.createPlatform({ platform_name: 'school' })
    platform.modules[0]?.records.push(simulatedRecord(1))
    const delayed = platform.delayNextResponse('records/cases')
    const { page } = await openPage(hub)
    let loads = 0
    page.on('request', (request) => {
      if (request.isNavigationRequest()) loads += 1
    })
    await page.goto('/dashboard')
    const sync = page.getByRole('region', { name: 'Latest Sync' })
    const button = sync.getByRole('button', { name: 'Pull All Existing Records' })
    await sync.getByText('No pulls yet').waitFor()
    const form = page.locator('form[data-ajax-form="pull-all-records"]')
    assert.equal(await form.getAttribute('method'), 'post')
    assert.equal(await form.getAttribute('action'), PULL_ALL)
    assert.equal(await button.getAttribute('type'), 'button')

    const requested = page.waitForRequest((request) => new URL(request.url()).pathname === PULL_ALL)
    await button.click()
    const request = await requested
    const token = await page.locator('meta[name="csrf-token"]').getAttribute('content')
    const headers = await request.allHeaders()
    assert.deepEqual(
      [request.method(), headers['x-csrf-token'], headers['accept'], headers['x-requested-with']],
      ['POST', token, 'application/json', 'XMLHttpRequest'],
    )
    assert.ok(headers['cookie'])
    await sync.getByRole('button', { name: 'Cancel' }).waitFor()
    assert.ok(await button.isDisabled())
    await delayed.arrived
    await sync.getByRole('button', { name: 'Cancel' }).click()
    await sync.getByText('Cancelled', { exact: true }).waitFor()
    await sync.getByRole('button', { name: 'Pull All Existing Records', disabled: false }).waitFor()
    delayed.release()
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByRole('link', { name: 'Pulls' })
      .click()
    await page.getByRole('row').getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull 1' }).waitFor()
    await page.getByText('Cancelled').first().waitFor()
    assert.equal(loads, 1, 'the page is loaded once')
  })
})
