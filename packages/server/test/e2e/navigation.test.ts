/** Navigation without a reload: to every page, tab, record, pull and platform, and by keyboard. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Locator } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
  untilLoaded,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import {
  expectNoErrorNotice,
  LABELS,
  type Label,
  navigationLink,
  shareFilledHub,
  untilOpen,
  watchPage,
} from '../helpers/browser/navigation.ts'
import { COURT_TITLE } from '../helpers/browser/platforms.ts'
import { recordLinkOf } from '../helpers/browser/records.ts'
import { EMAIL } from '../helpers/hub/hub.ts'

describe('navigation without a reload', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const filled = shareFilledHub()

  test('every page, tab, record, pull and platform opens by a click, shows its data and is accessible', async () => {
    await using opened = await openPage(browser(), filled().hub)
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
    const open = async (label: Label) => {
      await navigationLink(page, label).click()
      await untilOpen(page, label)
      await untilLoaded(page)
      await expectAccessible(page)
      check(label)
    }
    await page.goto('/dashboard')
    await untilOpen(page, 'Overview')
    await expectAccessible(page)
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    assert.deepEqual(await links.allInnerTexts(), LABELS)

    await open('Activity')
    await openTabs({
      Log: () => panel('Log').getByRole('row').nth(1),
      Rejected: () => panel('Rejected').getByRole('row').nth(1),
      'Push errors': () => panel('Push errors').getByText('No push errors'),
      Alerts: () => panel('Alerts').getByRole('radiogroup'),
      Missing: () => panel('Missing').getByRole('radiogroup'),
      Completeness: () => panel('Completeness').getByRole('row').filter({ hasText: 'Cases' }),
    })

    await open('Settings')
    await openTabs({
      Account: () => panel('Account').getByRole('table', { name: 'Sessions' }).getByRole('row'),
      Operators: () => panel('Operators').getByRole('row').filter({ hasText: EMAIL }),
      'API tokens': () => panel('API tokens').getByRole('heading', { name: 'API tokens' }),
      'Single sign-on': () => panel('Single sign-on').getByRole('listitem'),
      'Schedule and retention': () => panel('Schedule').getByRole('table').nth(1).getByRole('row'),
      Backups: () => panel('Backups').getByText('No backups yet'),
      'Audit log': () => panel('Audit log').getByRole('row').filter({ hasText: EMAIL }),
      About: () => panel('About').getByRole('row', { name: /SQLite/ }),
    })

    await open('Platforms')
    await main.getByRole('link', { name: filled().schoolTitle }).click()
    await page.getByRole('heading', { level: 1, name: filled().schoolTitle }).waitFor()
    await panel('Modules')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    await main.getByRole('link', { name: 'Platforms' }).click()
    await untilOpen(page, 'Platforms')
    await main.getByRole('link', { name: 'Register a platform' }).click()
    await page.getByLabel('Base URL').waitFor()
    await expectAccessible(page)
    check('the registration')
    await open('Platforms')
    await main.getByRole('link', { name: COURT_TITLE }).click()
    await page.getByRole('heading', { level: 1, name: COURT_TITLE }).waitFor()
    await openTabs({
      Modules: () => panel('Modules').getByRole('button', { name: /Cases/, expanded: true }),
      Pulls: () => panel('Pulls').getByRole('row').getByRole('link'),
      Pushes: () => panel('Pushes').getByRole('list', { name: 'Log' }).getByRole('listitem'),
      Activity: () => panel('Activity').getByRole('list', { name: 'Log' }).getByRole('listitem'),
      Settings: () => panel('Settings').getByRole('textbox', { name: 'Base URL' }),
    })

    await expectAccessible(page)

    await open('Pulls')
    await main.getByRole('row').getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull 1' }).waitFor()
    const modules = page.getByRole('list', { name: 'Modules of the pull' })
    await modules.getByRole('listitem').filter({ hasText: 'cases' }).waitFor()
    await expectAccessible(page)
    check('a pull')

    await open('Records')
    await recordLinkOf(page, 'pushed').click()
    const drawer = page.getByRole('dialog', { name: 'Record' })
    await openTabs(
      {
        Fields: () => drawer.getByRole('row').filter({ hasText: 'status' }),
        History: () => drawer.getByRole('row').filter({ hasText: 'closed' }),
        Raw: () => drawer.locator('pre'),
      },
      drawer,
    )
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await open('Integration guide')

    await open('Search')
    await page.getByRole('textbox', { name: 'Keyword or person' }).fill('pushed')
    await page.getByRole('button', { name: 'Search', exact: true }).last().click()
    await main
      .getByRole('link', { name: /Ann Example/ })
      .first()
      .click()
    await drawer.getByRole('tab', { name: 'Fields' }).waitFor()
    check('a record in the search results')
  })

  test('the search and the account menu are accessible on every page', async () => {
    await using opened = await openPage(browser(), filled().hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog', { name: 'Search' }).waitFor()
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await page.getByRole('dialog', { name: 'Search' }).waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await expectAccessible(page, { within: 'menu' })
    assert.deepEqual(pageErrors, [])
  })

  test('the Tab key skips the navigation in one step and is never trapped', async () => {
    await using opened = await openPage(browser(), filled().hub)
    const { page } = opened
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilTrueInPage(page, `document.activeElement?.id === 'main'`)
    const seen = new Set<unknown>()
    const FOCUSED = `(() => { const one = document.activeElement; one.dataset.seen ??= String(window.count = (window.count ?? 0) + 1); return one.dataset.seen })()`
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      seen.add(await page.evaluate(FOCUSED))
    }
    assert.equal(seen.size, 12)
  })
})
