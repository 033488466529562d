/** "I have a backup" on the setup page. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { EMAIL, PASSWORD } from '../helpers/hub/hub.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'

describe('backups in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the setup page restores a backup, and its operators can sign in', async (t) => {
    const { folder, run, spawn, startHub } = createSandbox(t)
    const first = await startHub({
      env: { HUB_ADMIN_EMAIL: EMAIL, HUB_ADMIN_PASSWORD: PASSWORD },
    })
    const passphrase = 'a passphrase — über 12'
    const backup = await run(['backup', '--out', 'one.recordhub-backup'], {
      env: { RECORDHUB_BACKUP_PASSPHRASE: passphrase },
    })
    assert.equal(backup.code, 0, backup.stderr.join('\n'))
    await first.stop()
    const HUB_SECRET = readFileSync(join(folder, 'data', 'recordhub.secret'), 'utf8').trim()
    const env = { PORT: '0', HUB_PULL_SCHEDULE: 'off', HUB_LOG_LEVEL: 'warn' }
    const second = spawn(['start'], { env: { ...env, HUB_DATA_DIR: './second', HUB_SECRET } })
    const line = await second.untilPrinted(/^Create the first operator: /)
    const link = new URL(line.slice('Create the first operator: '.length))
    await using opened = await openPage(browser(), { address: link.origin }, { signedIn: false })
    const { page } = opened
    await page.goto(link.href)
    await page.getByRole('button', { name: 'I have a backup' }).click()
    await expectAccessible(page)
    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Backup file' }).click()
    await (await choosing).setFiles(join(folder, 'one.recordhub-backup'))
    const upload = page.getByRole('button', { name: 'Upload and restore' })
    await upload.click()
    await page.getByRole('alert').getByText('The backup is encrypted').waitFor()
    await page.getByLabel('Passphrase').fill(passphrase)
    await upload.click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel(/^Password \*$/).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    const again = await fetch(`${link.origin}/setup/backup`, { method: 'POST' })
    assert.notEqual(again.status, 200)
  })
})
