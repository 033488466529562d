/** The overview with many platforms, with none, and with an alert. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { runSql } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the overview', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('many platforms are shown in pages, and the URL contains the page', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    for (let number = 0; number < 13; number += 1) {
      await registerPushingPlatform(hub, { platform_name: `p-${String(number).padStart(2, '0')}` })
    }
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    const platforms = page.getByRole('region', { name: 'Platforms' })
    await platforms.getByText('Title of p-00').waitFor()
    assert.equal(await platforms.getByText('Title of p-12').count(), 0)
    await platforms.getByRole('button', { name: 'Next platforms' }).click()
    await platforms.getByText('Title of p-12').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('platforms'), '2')
    await expectAccessible(page)
    await page.goBack()
    await platforms.getByText('Title of p-00').waitFor()
  })

  test('an empty hub shows the first step', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Register a platform' }).waitFor()
    await page.getByText('No pulls yet.').waitFor()
    await expectAccessible(page)
  })

  test('the overview shows an open alert, which can be acknowledged', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const at = new Date().toISOString()
    await runSql(
      hub.storage,
      `INSERT INTO alerts (kind, subject, message, raised_at)
       VALUES ('disk_low', 'disk', 'The disk is nearly full', '${at}')`,
    )
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard')
    const alerts = page.getByRole('region', { name: 'Open alerts' })
    await alerts.getByText('The disk is nearly full').waitFor()
    await expectAccessible(page)
    await alerts.getByRole('button', { name: 'Acknowledge' }).click()
    await alerts.getByText(/Acknowledged by/).waitFor()
  })
})
