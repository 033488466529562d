/** The log in a browser: filters, follow mode, paging. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  advanceUntilShown,
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  trackRequests,
} from '../helpers/browser/browser.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the log in a browser', BROWSER_TEST, () => {
  test('a log entry opens with its details by keyboard, and a link opens it again', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const { hub_api_key } = await hub.registerPushing()
    await hub.push(hub_api_key, newRecord('P-0'))
    const { page } = await openPage(hub, { colorScheme: 'dark' })
    await page.goto('/dashboard/log')
    await page.getByRole('button', { name: /P-0/ }).press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Log entry' })
    await drawer.getByRole('link', { name: /^Record \d+/ }).waitFor()
    await drawer.getByRole('link', { name: 'All entries of this record' }).waitFor()
    await expectAccessible(page)
    const url = page.url()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.goto(`${url}&q=of+another+page`)
    await drawer.getByText('push.created').waitFor()
    await page.goto('/dashboard/log?line=999999')
    await page.getByText('Log entry not found').waitFor()
  })

  test('the URL contains the filters, shows the same list when it is opened, and Back removes the filters', async () => {
    const { hub, school } = await startHubWithPushes(3)
    await using _ = hub
    await hub.push(school.hub_api_key, newRecord('X-1', { record_type: 'ghosts' }))
    const { page } = await openPage(hub)
    await page.goto('/dashboard/log')
    await entry(page, /P-2/).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Warnings 1$/ }).click()
    await entry(page, /P-2/).waitFor({ state: 'detached' })
    await entry(page, /ghosts/).waitFor()
    assert.deepEqual(parametersOf(page), { level: 'warning' })
    await choose(page, 'Kind', 'Pushes')
    await page.waitForURL(/kind=push/)
    await page.goBack()
    await page.waitForURL((url) => !url.search.includes('kind'))
    await page.goBack()
    await entry(page, /P-2/).waitFor()
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('new p-1')
    await page.waitForURL(/q=new/)
    await entry(page, /P-2/).waitFor({ state: 'detached' })
    await page.reload()
    await entry(page, /P-1/).waitFor()
    assert.equal(
      await page.getByRole('searchbox', { name: 'Search the log' }).inputValue(),
      'new p-1',
    )
    await page.getByRole('searchbox', { name: 'Search the log' }).fill('nothing like it')
    await page.getByText('No matching log entries').waitFor()
    await page.getByRole('button', { name: 'Clear filters' }).click()
    await entry(page, /P-2/).waitFor()
    await page.goto(`/dashboard/log?platform=${school.platform_name}&kind=push.rejected`)
    await entry(page, /ghosts/).waitFor()
  })

  test('a new log entry appears automatically, but not while an entry is open', async () => {
    const { hub, school } = await startHubWithPushes(1)
    await using _ = hub
    const { page } = await openPage(hub, { withClock: true })
    const responded = trackRequests(page)
    await page.goto('/dashboard/log')
    await entry(page, /P-0/).waitFor()
    await hub.push(school.hub_api_key, newRecord('N-1'))
    await advanceUntilShown(page, entry(page, /N-1/))
    await entry(page, /N-1/).click()
    const drawer = page.getByRole('dialog', { name: 'Log entry' })
    await drawer.getByText('push.created').waitFor()
    await responded()
    await hub.push(school.hub_api_key, newRecord('N-2'))
    await advanceUntilShown(page, page.getByText('Paused while you read. There are newer entries.'))
    assert.equal(await page.getByText(/N-2/).count(), 0)
    await drawer.getByRole('button', { name: 'Close' }).click()
    await entry(page, /N-2/).waitFor()
    await page.getByRole('button', { name: 'Pause' }).press('Enter')
    await page.waitForURL(/follow=off/)
  })

  test('requests to the receiver are listed live, filtered, opened and copied without the key', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      intervals: { requestLog: 1 },
    })
    const { hub_api_key, post } = await hub.registerPushing()
    await post(newRecord('R-1'))
    const { page } = await openPage(hub)
    await page.goto('/dashboard/log?tab=requests')
    await page.getByRole('row', { name: /201.*R-1.*new/ }).waitFor()
    await hub.push('rhk_wrong', newRecord('R-2'))
    await page.getByRole('row', { name: /401.*key not valid/ }).waitFor()
    await post({ ...newRecord('R-3'), record_type: 'ghosts' })
    await page.getByText('R-3').click()
    const panel = page.getByRole('complementary', { name: 'Request' })
    await panel.getByText('"record_type": "ghosts"').waitFor()
    await panel.getByRole('button', { name: 'Headers' }).click()
    await panel.getByText('x-api-key: [key removed]').waitFor()
    await expectAccessible(page)
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await panel.getByRole('button', { name: 'Copy as curl' }).click()
    await panel.getByRole('button', { name: 'Copied' }).waitFor()
    const copied = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(copied, /^curl -X 'POST' .*X-API-KEY: \$HUB_API_KEY.*"ghosts"/s)
    assert.ok(!`${copied}${await page.content()}`.includes(hub_api_key))
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^4xx/ }).click()
    await page.getByRole('row', { name: /R-1/ }).waitFor({ state: 'detached' })
    await page.waitForURL(/status=4xx/)
    await page.goto('/dashboard/log?tab=requests&platform=nobody&status=5xx')
    await page.getByText('No matching requests').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await page.getByRole('row', { name: /R-1/ }).waitFor()
    await page.goto('/dashboard/platforms/1?tab=requests')
    await page.getByRole('row', { name: /R-1/ }).waitFor()
    assert.equal(await page.getByText('key not valid').count(), 0)
  })

  test('older log entries are shown in pages, also on a phone', async () => {
    const { hub } = await startHubWithPushes(60)
    await using _ = hub
    const { page } = await openPage(hub, { width: 390 })
    await page.goto('/dashboard/log')
    await entry(page, /P-59 /).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: 'Next' }).click()
    await entry(page, /P-9 /).waitFor()
    await page.waitForURL(/cursor=\d+/)
    await page.getByRole('button', { name: 'First page' }).click()
    await entry(page, /P-59 /).waitFor()
  })
})

async function startHubWithPushes(count: number) {
  const hub: TestHub = await startTestHub(sqliteEngine, { withOperator: true })
  const school = await hub.registerPushing()
  for (let n = 0; n < count; n += 1) await hub.push(school.hub_api_key, newRecord(`P-${n}`))
  return { hub, school }
}

function entry(page: Page, text: RegExp) {
  return page.getByRole('button', { name: text })
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

function parametersOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams)
}
