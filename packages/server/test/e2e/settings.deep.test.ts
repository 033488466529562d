/** Settings in a browser: operators, sessions, schedule, audit log and about. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectStaysOpen,
  OVERVIEW_TITLE,
  openPage,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('settings in a browser', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, {
    withOperator: true,
    env: { HUB_PULL_SCHEDULE: '17 * * * *' },
  })
  test('a token is created, shown once, works, and is revoked', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/settings?tab=tokens')
    await page.getByRole('button', { name: 'Create token' }).click()
    const dialog = page.getByRole('dialog', { name: 'Create token' })
    await dialog.getByLabel('Name').fill('nightly export')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Create token' }).click()
    const shown = page.getByRole('dialog', { name: 'Token created' })
    const token = await shown.locator('[data-secret="token"]').innerText()
    await expectAccessible(page)
    await expectStaysOpen(page, shown)
    await shown.getByRole('button', { name: 'Done' }).click()
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await hub.send({ url: '/api/v1/platforms', headers })).status, 200)
    await page.reload()
    const row = page.getByRole('row', { name: /nightly export/ })
    await row
      .getByText(/[AP]M$/)
      .first()
      .waitFor()
    assert.ok(!(await page.content()).includes(token))
    await row.getByRole('button', { name: 'Revoke the token nightly export' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Revoke “nightly export”?' })
    await confirmation.getByRole('button', { name: 'Revoke' }).click()
    await row.waitFor({ state: 'detached' })
    assert.equal((await hub.send({ url: '/api/v1/platforms', headers })).status, 401)
  })

  test('an admin invites an operator with a link that is shown once, and disabling the operator ends the session immediately', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/settings?tab=operators')
    await page.getByRole('button', { name: 'Invite' }).click()
    const dialog = page.getByRole('dialog', { name: 'Invite a person' })
    await dialog.getByLabel('E-mail').fill('bob@example.org')
    await dialog.getByText('Operator', { exact: true }).click()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const shown = page.getByRole('dialog', { name: 'Invitation for bob@example.org' })
    const link = await shown.locator('[data-secret="link"]').innerText()
    await expectAccessible(page)
    await expectStaysOpen(page, shown)
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('table', { name: 'Invitations' }).getByText('bob@example.org').waitFor()

    const other = await openPage(hub, { signedIn: false })
    await other.page.goto(link)
    await other.page.getByLabel('Your name').fill('Bob')
    await other.page.getByLabel(/^Password$/).fill(PASSWORD)
    await other.page.getByLabel('Confirm password').fill(PASSWORD)
    await other.page.getByRole('button', { name: 'Create account and sign in' }).click()
    await other.page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    await other.page.goto('/dashboard/settings')
    await other.page.getByRole('heading', { name: 'Bob' }).waitFor()

    await page.reload()
    await page.getByRole('button', { name: 'Bob' }).click()
    const drawer = page.getByRole('dialog', { name: 'bob@example.org' })
    await drawer.getByText('Viewer', { exact: true }).click()
    const change = page.getByRole('dialog', { name: 'Change the role of Bob to viewer?' })
    await change.getByLabel('Your password').fill(PASSWORD)
    await change.getByRole('button', { name: 'Change role' }).click()
    await page.getByText('The role was changed.').waitFor()
    await drawer.getByRole('button', { name: 'Disable' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Disable Bob?' })
    await confirmation.waitFor()
    await page.keyboard.press('Escape')
    await confirmation.waitFor({ state: 'hidden' })
    await drawer.getByRole('button', { name: 'Disable' }).click()
    await confirmation.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Bob is disabled.').waitFor()
    await drawer.getByText('Disabled', { exact: true }).waitFor()

    // This also works if the sign-in dialog already covers the link.
    await other.page.getByRole('link', { name: 'Tokens' }).dispatchEvent('click')
    const ended = other.page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.getByLabel(/^Password$/).fill(PASSWORD)
    await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended.getByText('Your account is disabled.').waitFor()

    await drawer.getByRole('button', { name: 'Remove' }).click()
    const removal = page.getByRole('dialog', { name: 'Remove Bob?' })
    await removal.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('Bob was removed.').waitFor()
    await page.getByRole('button', { name: 'Bob' }).waitFor({ state: 'detached' })
  })

  test('a password change rejects common and wrong passwords, ends the other sessions, and the page continues to work', async () => {
    const operator = await hub.createOperator()
    const other = await hub.signIn(operator.email)
    const { page } = await openPage(hub, { operator })
    await page.goto('/dashboard/settings?tab=security')
    await page.getByRole('button', { name: 'End all others' }).waitFor()
    const newPassword = 'another horse battery staple'
    const change = async (current: string, next: string) => {
      await page.getByLabel('Current password').fill(current)
      await page.getByLabel(/^New password$/).fill(next)
      await page.getByLabel('Confirm new password').fill(next)
      await page.getByRole('button', { name: 'Change password' }).click()
    }
    const alert = page.getByRole('alert')
    await change(PASSWORD, 'Qwerty 123456')
    await alert.getByText('the password is a common one').waitFor()
    await change('not the password', newPassword)
    await alert.getByText('The password is wrong.').waitFor()
    await change(PASSWORD, newPassword)
    await page.getByText('The password was changed.').waitFor()
    await page.getByRole('button', { name: 'End all others' }).waitFor({ state: 'detached' })
    const ended = await hub.send({ url: '/api/v1/session', headers: other.headers })
    assert.equal(ended.status, 401)
    await page.getByRole('link', { name: 'Tokens' }).click()
    await page.getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('dialog').getByLabel('Name').fill('after the change')
    await page.getByRole('dialog').getByLabel('Your password').fill(newPassword)
    await page.getByRole('dialog').getByRole('button', { name: 'Create token' }).click()
    await page.getByRole('dialog', { name: 'Token created' }).waitFor()
  })

  test('an admin stores a setting with the password, and sees who set it; a variable and a rejected value are explained', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/settings?tab=schedule')
    await page.getByText('Fixed by HUB_PULL_SCHEDULE, where the hub is started.').waitFor()
    assert.ok(await page.getByRole('radio', { name: 'Every day' }).isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Save the schedule' }).count(), 0)

    await page.getByRole('link', { name: 'Backups' }).click()
    await page.getByText('Not saved yet.').waitFor()
    await page.getByLabel('At', { exact: true }).fill('04:30')
    await page.getByRole('button', { name: 'Save the schedule' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save the schedule?' })
    await dialog.getByText('30 4 * * *').waitFor()
    await expectAccessible(page)
    await dialog.getByLabel('Your password').fill('not the password')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Every day at 04:30').waitFor()
    await page.getByText(/^While the hub runs.* Set by /).waitFor()
    const { settings } = await hub.call('GET /api/v1/settings', { as: 'admin' })
    const stored = settings.find(({ name }) => name === 'HUB_BACKUP_SCHEDULE')
    assert.deepEqual([stored?.value, stored?.changed_by], ['30 4 * * *', EMAIL])

    await page.getByRole('link', { name: 'Mail' }).click()
    const recipients = page.getByRole('textbox', { name: 'Recipients of alerts' })
    await recipients.fill('nobody')
    await page.getByRole('button', { name: 'Save the recipients' }).click()
    await page.getByRole('dialog').getByLabel('Your password').fill(PASSWORD)
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByText(/^must /).waitFor()
    assert.equal(await recipients.inputValue(), 'nobody')
    await expectAccessible(page)
  })

  test('the schedule is paused and resumed, and the audit log shows both actions, filtered by the URL', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/settings?tab=schedule')
    await page.getByText('Every hour, 17 minutes past').waitFor()
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Resume' }).click()
    await page.getByText('Active', { exact: true }).waitFor()
    await page.goto('/dashboard/settings?tab=audit')
    await page.getByRole('table').getByText('Paused the schedule').waitFor()
    await page.getByRole('combobox', { name: 'Action' }).click()
    await page.getByRole('option', { name: 'Resumed the schedule' }).click()
    await page.getByRole('table').getByText('Paused the schedule').waitFor({ state: 'detached' })
    assert.match(page.url(), /action=schedule\.resumed/)
    await page.getByRole('cell', { name: EMAIL }).waitFor()
    await page.goBack()
    await page.getByRole('table').getByText('Paused the schedule').waitFor()
    await page.goto('/dashboard/settings?tab=system')
    await page.getByRole('row', { name: /Database SQLite/ }).waitFor()
    await page.getByText('Healthy').waitFor()
  })
})
