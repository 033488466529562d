/** The log as people read it: filters, following, details, pages (UI: activity). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  runUntilShown,
  shareBrowser,
  trackRequests,
} from '../helpers/browser/browser.ts'
import { newRecord, push, registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the log in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('filters stand in the URL, a link shows the same, and Back undoes them', async () => {
    const { hub, school } = await startWithPushes(3)
    await using _ = hub
    await push(hub, school.hub_api_key, newRecord('X-1', { record_type: 'ghosts' }))
    await using opened = await openPage(browser(), hub)
    const { page, complaints } = opened
    await page.goto('/dashboard/activity')
    await line(page, /P-2/).waitFor()
    await expectAccessible(page)
    await choose(page, 'Level', 'Warning')
    await line(page, /P-2/).waitFor({ state: 'detached' })
    await line(page, /ghosts/).waitFor()
    assert.deepEqual(parametersOf(page), { level: 'warning' })
    await choose(page, 'Kind', 'Pushes')
    await page.waitForURL(/kind=push/)
    await page.goBack()
    await page.waitForURL((url) => !url.search.includes('kind'))
    await page.goBack()
    await line(page, /P-2/).waitFor()
    await page.getByRole('searchbox', { name: 'Text' }).fill('new p-1')
    await page.waitForURL(/q=new/)
    await line(page, /P-2/).waitFor({ state: 'detached' })
    await page.reload()
    await line(page, /P-1/).waitFor()
    assert.equal(await page.getByRole('searchbox', { name: 'Text' }).inputValue(), 'new p-1')
    await page.getByRole('searchbox', { name: 'Text' }).fill('nothing like it')
    await page.getByText('No line passes these filters').waitFor()
    await page.getByRole('button', { name: 'Clear the filters' }).click()
    await line(page, /P-2/).waitFor()
    await page.goto(`/dashboard/activity?platform=${school.platform_name}&kind=push.rejected`)
    await line(page, /ghosts/).waitFor()
    assert.deepEqual(complaints, [])
  })

  test('a new line appears by itself, but not while somebody reads', async () => {
    const { hub, school } = await startWithPushes(1)
    await using _ = hub
    await using opened = await openPage(browser(), hub, { withClock: true })
    const { page } = opened
    const answered = trackRequests(page)
    await page.goto('/dashboard/activity')
    await line(page, /P-0/).waitFor()
    await push(hub, school.hub_api_key, newRecord('N-1'))
    await runUntilShown(page, line(page, /N-1/))
    await line(page, /N-1/).click()
    const drawer = page.getByRole('dialog', { name: 'Line of the log' })
    await drawer.getByText('push.created').waitFor()
    await answered()
    await push(hub, school.hub_api_key, newRecord('N-2'))
    await runUntilShown(page, page.getByText('Paused while you read. The log has newer lines.'))
    assert.equal(await page.getByText(/N-2/).count(), 0)
    await drawer.getByRole('button', { name: 'Close' }).click()
    await line(page, /N-2/).waitFor()
    await page.getByRole('switch', { name: 'Follow' }).press('Space')
    await page.waitForURL(/follow=off/)
  })

  test('a line opens with all it says, by keyboard, and a link opens it again', async () => {
    const { hub } = await startWithPushes(1)
    await using _ = hub
    await using opened = await openPage(browser(), hub, { colorScheme: 'dark' })
    const { page, complaints } = opened
    await page.goto('/dashboard/activity')
    await line(page, /P-0/).press('Enter')
    const drawer = page.getByRole('dialog', { name: 'Line of the log' })
    await drawer.getByRole('link', { name: /^Record \d+/ }).waitFor()
    await drawer.getByRole('link', { name: 'All lines of this record' }).waitFor()
    await expectAccessible(page)
    const url = page.url()
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'detached' })
    await page.goto(`${url}&q=of+another+page`)
    await drawer.getByText('push.created').waitFor()
    await page.goto('/dashboard/activity?line=999999')
    await page.getByText('This line is gone').waitFor()
    assert.deepEqual(complaints, [])
  })

  test('older lines come page by page, on a phone too', async () => {
    const { hub } = await startWithPushes(60)
    await using _ = hub
    await using opened = await openPage(browser(), hub, { width: 390 })
    const { page, complaints } = opened
    await page.goto('/dashboard/activity')
    await line(page, /P-59 /).waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByRole('searchbox', { name: 'Text' }).waitFor()
    await page.getByRole('button', { name: 'Next' }).click()
    await line(page, /P-5 /).waitFor()
    await page.waitForURL(/cursor=\d+/)
    await page.getByRole('button', { name: 'First page' }).click()
    await line(page, /P-59 /).waitFor()
    assert.deepEqual(complaints, [])
  })
})

async function startWithPushes(count: number) {
  const hub: TestHub = await startTestHub(sqliteEngine, { withOperator: true })
  const school = await registerPushingPlatform(hub)
  for (let n = 0; n < count; n += 1) await push(hub, school.hub_api_key, newRecord(`P-${n}`))
  return { hub, school }
}

function line(page: Page, words: RegExp) {
  return page.getByRole('button', { name: words })
}

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

function parametersOf(page: Page): Record<string, string> {
  return Object.fromEntries(new URL(page.url()).searchParams)
}
