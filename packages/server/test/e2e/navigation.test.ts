/** Navigation to every page without a reload. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  untilLoaded,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import {
  LABELS,
  type Label,
  navigationLink,
  shareFilledHub,
  untilOpen,
  watchPage,
} from '../helpers/browser/navigation.ts'
import { isDeep } from '../helpers/time/tier.ts'

describe('navigation without a reload', BROWSER_TEST, () => {
  const filled = shareFilledHub()

  test('every page opens by a click and shows its data, and pages are accessible', async () => {
    const opened = await openPage(filled().hub)
    const { page } = opened
    const check = watchPage(opened)
    const main = page.getByRole('main')
    const open = async (label: Label) => {
      await navigationLink(page, label).click()
      await untilOpen(page, label)
      await untilLoaded(page)
      // every-page.deep.test.ts checks all pages in all modes.
      if (isDeep) await expectAccessible(page)
      check(label)
    }
    await page.goto('/dashboard')
    await untilOpen(page, 'Overview')
    await expectAccessible(page)
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    assert.equal(await links.count(), LABELS.length)

    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilTrueInPage(page, `document.activeElement?.id === 'main'`)
    await open('Inbox')
    await open('Log')
    await open('Settings')
    await open('Platforms')
    await main.getByRole('link', { name: 'Register a platform' }).click()
    await page.getByLabel('Base URL').waitFor()
    if (isDeep) await expectAccessible(page)
    check('the registration')
    await open('Pulls')
    await main.getByRole('row').getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull 1' }).waitFor()
    const modules = page.getByRole('table', { name: 'Modules of the pull' })
    await modules.getByRole('row').filter({ hasText: 'cases' }).waitFor()
    if (isDeep) await expectAccessible(page)
    check('a pull')
    await open('Records')
    await main.getByRole('link', { name: 'R-1', exact: true }).first().click()
    await page.getByRole('complementary', { name: 'Record' }).getByText('R-1').first().waitFor()
    await page.keyboard.press('Escape')
    check('a record')
    await open('Integration guide')
    await open('Search')
  })
})
