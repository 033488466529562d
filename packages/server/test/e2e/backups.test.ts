/** Backups in a browser: on the settings page. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { newRecord, push, registerPushingPlatform } from '../helpers/hub/actions.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('backups in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('an admin starts a backup, downloads it and tests its restore', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'recordhub-backups-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const env = { HUB_BACKUP_DIR: join(folder, 'backups'), HUB_BACKUP_SCHEDULE: '30 2 * * *' }
    await using hub = await startTestHub(sqliteEngine, { withOperator: true, env })
    const { hub_api_key } = await registerPushingPlatform(hub)
    for (const id of ['N-1', 'N-2']) await push(hub, hub_api_key, newRecord(id))
    await using opened = await openPage(browser(), hub)
    const { page, pageErrors } = opened
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Settings' }).click()
    await page.getByRole('tab', { name: 'Backups' }).click()
    await page.getByText('No backups yet').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Backup complete').waitFor()
    const files = page.getByRole('table', { name: 'Backup files' })
    await files.getByText('2 records, 1 platform').waitFor()

    const downloading = page.waitForEvent('download')
    await files.getByRole('link', { name: /^Download recordhub-/ }).click()
    const download = await downloading
    const saved = readFileSync(await download.path())
    assert.ok(saved.equals(readFileSync(join(folder, 'backups', download.suggestedFilename()))))

    await files.getByRole('button', { name: /^Test restore of recordhub-/ }).click()
    await page.getByText('The backup can be restored').waitFor()
    const drill = page.getByRole('table', { name: 'Restore test' })
    await drill.getByRole('row', { name: 'Equal in the hub 2' }).waitFor()
    await expectAccessible(page)

    await page.getByRole('tab', { name: 'Audit log' }).click()
    for (const action of ['Started a backup', 'Downloaded a backup']) {
      await page.getByRole('cell', { name: action }).waitFor()
    }
    assert.deepEqual(pageErrors, [])
  })
})
