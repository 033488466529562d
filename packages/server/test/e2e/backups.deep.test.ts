/** "Restore a backup" on the setup page. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  OVERVIEW_TITLE,
  openPage,
} from '../helpers/browser/browser.ts'
import { EMAIL, PASSWORD, startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('backups in a browser', BROWSER_TEST, () => {
  test('an admin starts a backup, downloads it and tests its restore', async (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'recordhub-backups-'))
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const env = { HUB_BACKUP_DIR: join(folder, 'backups'), HUB_BACKUP_SCHEDULE: '30 2 * * *' }
    await using hub = await startTestHub(sqliteEngine, { withOperator: true, env })
    const { hub_api_key } = await hub.registerPushing()
    for (const id of ['N-1', 'N-2']) await hub.push(hub_api_key, newRecord(id))
    const { page } = await openPage(hub)
    await page.goto('/dashboard')
    await page.getByRole('link', { name: 'Settings' }).click()
    const sections = page.getByRole('navigation', { name: 'Settings' })
    await sections.getByRole('link', { name: 'Backups' }).click()
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

    await page.goto('/dashboard/log?tab=audit')
    for (const action of ['Started a backup', 'Downloaded a backup']) {
      await page.getByRole('cell', { name: action }).waitFor()
    }
  })

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
    const { page } = await openPage({ address: link.origin }, { signedIn: false })
    await page.goto(link.href)
    await page.getByRole('button', { name: 'Restore a backup' }).click()
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
    await page.getByLabel(/^Password$/).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    const again = await fetch(`${link.origin}/setup/backup`, { method: 'POST' })
    assert.notEqual(again.status, 200)
  })
})
