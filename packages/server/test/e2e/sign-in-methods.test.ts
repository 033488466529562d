/** Second factors in a browser. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  shareBrowser,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/actions.ts'
import { PASSWORD } from '../helpers/hub/hub.ts'
import { createOperator } from '../helpers/hub/operators.ts'
import { stopClock, totpCode } from '../helpers/hub/totp.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel(/^Password \*$/).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

const untilOverview = (page: Page) => page.getByRole('heading', { name: 'Overview' }).waitFor()

describe('sign-in methods in a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('a second factor is set up and required, and each recovery code works once in place of it', async (t) => {
    stopClock(t)
    const operator = await createOperator(hub())
    await using opened = await openPage(browser(), hub(), { operator })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/settings')
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    await dialog.getByLabel('Your password').fill('not the password')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await dialog.waitFor({ state: 'detached' })
    await expectAccessible(page)
    const secret = await page.locator('[data-secret="key"]').innerText()
    const uri = `otpauth://totp/x?secret=${secret}`
    await page.getByLabel('Current code').fill('000000')
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('The code is wrong or no longer valid.').waitFor()
    await page.getByLabel('Current code').fill(totpCode(uri))
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Save these recovery codes').waitFor()
    const codes = await page.locator('[data-secret="recovery codes"]').innerText()
    const [recovery = ''] = codes.split('\n')
    assert.match(codes, /^([0-9a-z]{4}(-[0-9a-z]{4}){6}(\n|$)){10}$/)
    await page.getByRole('button', { name: 'New recovery codes' }).waitFor()

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByLabel('Code').waitFor()
    await expectAccessible(page)
    await page.getByLabel('Code').fill(totpCode(uri, 1))
    await page.getByRole('button', { name: 'Continue' }).click()
    await untilOverview(page)

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByLabel('Code').fill('000000')
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Incorrect code. Wait for the next one').waitFor()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recovery.toUpperCase().replaceAll('-', ' '))
    await page.getByRole('button', { name: 'Continue' }).click()
    await untilOverview(page)

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recovery)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Incorrect recovery code, or it was already used.').waitFor()
    assert.deepEqual(pageErrors, [])
  })
})
