/** The tabs of pages, of a platform and of a record. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  untilLoaded,
} from '../helpers/browser/browser.ts'
import {
  expectNoErrorNotice,
  navigationLink,
  shareFilledHub,
  untilOpen,
  watchPage,
} from '../helpers/browser/navigation.ts'
import { COURT_TITLE } from '../helpers/browser/platforms.ts'
import { recordLinkOf } from '../helpers/browser/records.ts'
import { EMAIL } from '../helpers/hub/hub.ts'

describe('tabs', BROWSER_TEST, () => {
  const filled = shareFilledHub()

  test('every tab, platform and record opens by a click and shows its data', async () => {
    const opened = await openPage(filled().hub)
    const { page } = opened
    const check = watchPage(opened)
    const main = page.getByRole('main')
    const panel = (name: string) => page.getByRole('tabpanel', { name })
    /** Opens each tab, the first one last, and waits for its data. */
    async function openTabs(tabs: Record<string, () => Locator>, within = main): Promise<void> {
      const list = within.getByRole('tablist').first()
      await list.waitFor()
      const names = Object.keys(tabs)
      const labels = await list.getByRole('tab').allInnerTexts()
      assert.equal(labels.length, names.length, `${labels}`)
      for (const [name, shown] of Object.entries(tabs).toReversed()) {
        await list.getByRole('tab', { name }).click()
        await shown().first().waitFor()
        await untilLoaded(page)
        await expectNoErrorNotice(page)
        check(`the tab ${name}`)
      }
    }
    const lists = {
      'All alerts': () => main.getByRole('radiogroup'),
      'All reviews of missing records': () => main.getByRole('radiogroup'),
      'All rejected pushes': () => main.getByRole('row').nth(1),
      'All push errors': () => main.getByText('No push errors'),
    }
    await page.goto('/dashboard')
    for (const [name, shown] of Object.entries(lists)) {
      await navigationLink(page, 'Inbox').click()
      await untilOpen(page, 'Inbox')
      await page.getByRole('button', { name: 'Other lists' }).click()
      await page.getByRole('menuitem', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await shown().first().waitFor()
      await untilLoaded(page)
      await expectNoErrorNotice(page)
      check(name)
    }
    await navigationLink(page, 'Log').click()
    await untilOpen(page, 'Log')
    await openTabs({
      Activity: () => panel('Activity').getByRole('row').nth(2),
      Requests: () => panel('Requests').getByRole('row').nth(1),
      Audit: () => panel('Audit').getByRole('row', { name: 'Signed in' }),
    })
    await navigationLink(page, 'Settings').click()
    await untilOpen(page, 'Settings')
    const sections = {
      Account: () => main.getByText('Another admin can change your role.'),
      Security: () => main.getByRole('table', { name: 'Sessions' }).getByRole('row'),
      Tokens: () => main.getByRole('table', { name: 'API tokens' }).getByRole('row'),
      Operators: () => main.getByRole('row').filter({ hasText: EMAIL }),
      'Single sign-on': () => main.getByRole('listitem'),
      Schedule: () => main.getByText('Next scheduled pull'),
      Backups: () => main.getByText('No backups yet'),
      Retention: () => main.getByRole('textbox', { name: 'Audit log' }),
      Mail: () => main.getByRole('textbox', { name: 'Recipients of alerts' }),
      System: () => main.getByRole('row', { name: /SQLite/ }),
    }
    const list = main.getByRole('navigation', { name: 'Settings' }).getByRole('link')
    assert.equal(await list.count(), Object.keys(sections).length)
    for (const [name, shown] of Object.entries(sections)) {
      await list.filter({ hasText: name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      await shown().first().waitFor()
      await untilLoaded(page)
      await expectNoErrorNotice(page)
      check(`the section ${name}`)
    }
    await navigationLink(page, 'Platforms').click()
    await main.getByRole('link', { name: COURT_TITLE }).click()
    await page.getByRole('heading', { level: 1, name: COURT_TITLE }).waitFor()
    const facts = await page.locator('dl').innerText()
    const { source_base_url } = filled().court
    for (const text of ['Active', 'court', 'dynamic_api', '2 registered', source_base_url]) {
      assert.ok(facts.includes(text), text)
    }
    assert.match(facts, /Latest Sync\s+[A-Z][a-z]{2} \d\d, \d{4} \d\d:\d\d [AP]M/)
    await openTabs({
      Modules: () => panel('Modules').getByRole('button', { name: /Cases/, expanded: true }),
      Pulls: () => panel('Pulls').getByRole('row').getByRole('link'),
      Pushes: () => panel('Pushes').getByRole('table', { name: 'Log' }),
      Requests: () => panel('Requests').getByRole('row').nth(1),
      Activity: () => panel('Activity').getByRole('table', { name: 'Log' }),
      Settings: () => panel('Settings').getByRole('textbox', { name: 'Base URL' }),
    })
    await expectAccessible(page)
    await navigationLink(page, 'Records').click()
    await recordLinkOf(page, 'pushed').click()
    const drawer = page.getByRole('complementary', { name: 'Record' })
    await openTabs(
      {
        Fields: () => drawer.getByTitle(/^status/),
        History: () => drawer.getByText('closed'),
        JSON: () => drawer.locator('pre'),
      },
      drawer,
    )
    await expectAccessible(page)
  })
})
