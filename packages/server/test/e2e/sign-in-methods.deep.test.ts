/** A required second factor, passkeys, single sign-on and invitations in a browser. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  endSessionAtRequest,
  expectAccessible,
  expectNoHorizontalScroll,
  expectStaysOpen,
  OVERVIEW_TITLE,
  openPage,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { startOidcProvider } from '../helpers/hub/oidc-provider.ts'
import { stopClock, totpCode } from '../helpers/hub/totp.ts'
import { findFreePort } from '../helpers/process/free-port.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

async function signOut(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Your account' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
}

const untilOverview = (page: Page) => page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()

/** Evaluated in the page: the number of lines of the recovery codes, and whether they are fully visible. */
const READ_CODE_LINES = `(() => {
  const block = document.querySelector('[data-secret="recovery codes"]')
  const text = document.createRange()
  text.selectNodeContents(block)
  const lines = [...text.getClientRects()]
  const { right } = block.closest('[role="status"]').getBoundingClientRect()
  return { lines: new Set(lines.map((line) => line.top)).size, areVisible: lines.every((line) => line.right <= right) }
})()`

/** Without TLS, browsers support passkeys only at `localhost`. */
const atLocalhost = ({ address }: Pick<TestHub, 'address'>) => ({
  address: address.replace('127.0.0.1', 'localhost'),
})
async function signIn(page: Page, email: string): Promise<void> {
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(email)
  await page.getByLabel(/^Password$/).fill(PASSWORD)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

describe('sign-in methods in a browser', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, { withOperator: true })
  test('a second factor is set up and required, and each recovery code works once in place of it', async (t) => {
    stopClock(t)
    const operator = await hub.createOperator()
    const { page } = await openPage(hub, { operator })
    await page.goto('/dashboard/settings?tab=security')
    await page.getByRole('button', { name: 'Set up two-factor authentication' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up two-factor authentication' })
    await dialog.getByLabel('Your password').fill('not the password')
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await dialog.getByText('The password is wrong.').waitFor()
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('img', { name: /QR code/ }).waitFor()
    await expectStaysOpen(page, dialog)
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
    await expectAccessible(page)
    const downloading = page.waitForEvent('download')
    await dialog.getByRole('button', { name: 'Download' }).click()
    assert.ok(readFileSync(await (await downloading).path(), 'utf8').includes(codes))
    await page.emulateMedia({ media: 'print' })
    const paper = await page.evaluate<string>('document.body.innerText')
    assert.equal(paper.trim(), `Recordhub recovery codes, ${new URL(hub.address).host}\n\n${codes}`)
    await page.emulateMedia({ media: 'screen' })
    await dialog.getByRole('button', { name: 'I have saved the codes' }).click()
    await page.getByRole('button', { name: 'New recovery codes' }).waitFor()

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByLabel('Code').waitFor()
    await expectAccessible(page)
    await page.getByText(`for ${operator.email}`).waitFor()
    // The code is sent after its sixth digit.
    await page.getByLabel('Code').fill(totpCode(uri, 1))
    await untilOverview(page)

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByLabel('Code').fill('000000')
    await page.getByText('Wrong code. Wait for the next one').waitFor()
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recovery.toUpperCase().replaceAll('-', ' '))
    await page.getByRole('button', { name: 'Continue' }).click()
    await untilOverview(page)

    await signOut(page)
    await signIn(page, operator.email)
    await page.getByRole('button', { name: 'Use a recovery code' }).click()
    await page.getByLabel('Recovery code').fill(recovery)
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByText('Wrong recovery code, or it was already used.').waitFor()
  })

  test('a hub that requires a second factor shows its setup before any page', async (t) => {
    stopClock(t)
    const env = { HUB_REQUIRE_SECOND_FACTOR: 'on' }
    await using strict = await startTestHub(sqliteEngine, { withOperator: true, env })
    const { page } = await openPage(strict, { signedIn: false, width: 390 })
    const signInTo = async (path: string) => {
      await page.goto(path)
      await page.getByLabel('E-mail').fill(EMAIL)
      await page.getByLabel(/^Password$/).fill(PASSWORD)
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    }
    await signInTo('/dashboard/pulls')
    await page.getByRole('heading', { name: 'Set up two-factor authentication' }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    assert.equal(await page.getByRole('navigation').count(), 0)
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()

    await signInTo(page.url())
    await page.getByRole('button', { name: 'Use an authenticator app' }).click()
    const dialog = page.getByRole('dialog', { name: 'Set up an authenticator app' })
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Continue' }).click()
    const secret = await page.locator('[data-secret="key"]').innerText()
    const code = totpCode(`otpauth://totp/x?secret=${secret}`)
    await page.getByLabel('Current code').fill(code)
    await page.getByRole('button', { name: 'Turn on' }).click()
    await page.getByText('Save these recovery codes').waitFor()
    await expectNoHorizontalScroll(page)
    assert.deepEqual(await page.evaluate(READ_CODE_LINES), { lines: 10, areVisible: true })
    await page.getByRole('button', { name: 'I have saved the codes' }).click()
    await page.getByRole('heading', { name: 'Pulls' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard/pulls')
  })

  test('a passkey is added, signs in without a password, and is removed', async () => {
    const operator = await hub.createOperator()
    const { page, context } = await openPage(atLocalhost(hub), { operator })
    const devtools = await context.newCDPSession(page)
    await devtools.send('WebAuthn.enable')
    await devtools.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    await page.goto('/dashboard/settings?tab=security')
    await page.getByRole('button', { name: 'Add a passkey' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
    await dialog.getByLabel('Name').fill('Test device')
    await dialog.getByLabel('Your password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByRole('table', { name: 'Passkeys' }).getByText('Test device').waitFor()
    await expectAccessible(page)

    await signOut(page)
    await page.getByRole('button', { name: 'Use a passkey' }).click()
    await untilOverview(page)

    await page.locator(':is([data-connection="polling"], [data-connection="live"])').waitFor()
    await endSessionAtRequest(page, /\/api\/v1\/search\?/)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Pages, platforms, records').fill('unknown')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.getByRole('button', { name: 'Use a passkey' }).click()
    await ended.waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Pages, platforms, records').inputValue(), 'unknown')

    await page.goto('/dashboard/settings?tab=security')
    await page.getByRole('button', { name: 'Remove the passkey Test device' }).click()
    const removal = page.getByRole('dialog', { name: 'Remove a passkey' })
    await removal.getByLabel('Your password').fill(PASSWORD)
    await removal.getByRole('button', { name: 'Remove' }).click()
    await page.getByText('You have no passkeys yet.').waitFor()
  })

  test('an invitation rejects a common password, then creates a viewer, who does not see the settings of admins', async () => {
    const token = await hub.invite('vic@example.org', 'viewer')
    const { page } = await openPage(hub, { signedIn: false, width: 390 })
    await page.goto(`/invitation#token=${token}`)
    await page.getByText('You have been invited to this hub with the role viewer.').waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByLabel('Your name').fill('Vic')
    const create = async (password: string) => {
      await page.getByLabel(/^Password$/).fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await page.getByRole('button', { name: 'Create account and sign in' }).click()
    }
    await create('Qwerty 123456')
    const alert = page.getByRole('alert')
    await alert.getByText('the password is a common one').waitFor()
    await create(PASSWORD)
    await untilOverview(page)
    await page.goto('/dashboard/settings?tab=operators')
    await page.getByRole('heading', { level: 1, name: 'Account' }).waitFor()
    await page.getByLabel('Name', { exact: true }).waitFor()
    assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Vic')
    for (const name of ['Operators', 'Single sign-on', 'Backups', 'Mail']) {
      assert.equal(await page.getByRole('link', { name }).count(), 0, name)
    }
    await page.getByRole('link', { name: 'Schedule' }).click()
    await page.getByText('Pausing requires the operator role.').waitFor()
    await page.getByText('Changing these settings requires the admin role.').waitFor()
    assert.ok(await page.getByRole('radio', { name: 'Every day' }).isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Save the schedule' }).count(), 0)
    await page.goto(`/invitation#token=${token}`)
    await page.getByText('This invitation is no longer valid.').waitFor()
    await expectAccessible(page)
  })

  test('single sign-on signs allowed users in, and shows the reason to others', async () => {
    await using provider = await startOidcProvider()
    const port = await findFreePort()
    await using ssoHub = await startTestHub(sqliteEngine, {
      withOperator: true,
      env: {
        PORT: String(port),
        HUB_PUBLIC_URL: `http://localhost:${port}`,
        HUB_OIDC_ISSUER: provider.issuer,
        HUB_OIDC_CLIENT_ID: provider.clientId,
        HUB_OIDC_CLIENT_SECRET: provider.clientSecret,
        HUB_OIDC_NAME: 'Example Org',
        HUB_OIDC_DOMAINS: 'example.org',
      },
    })
    const { page } = await openPage(atLocalhost(ssoHub), { signedIn: false })
    provider.setPerson({ sub: 'eve', email: 'eve@evil.example' })
    await page.goto('/dashboard/records?q=ann')
    const button = page.getByRole('button', { name: 'Continue with Example Org' })
    await button.click()
    await page.getByText('Your e-mail address has not been invited to this hub.').waitFor()
    await expectAccessible(page)
    provider.setPerson({ sub: 'sam', email: 'sam@example.org', name: 'Sam' })
    await page.goto('/sign-in?next=/dashboard/records%3Fq%3Dann')
    await button.click()
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, '/dashboard/records?q=ann')
    await page.goto('/dashboard/settings')
    await page.getByRole('main').getByText('Single sign-on', { exact: true }).waitFor()
    await page.getByRole('link', { name: 'Security' }).click()
    await page.getByRole('heading', { name: 'Sessions' }).waitFor()
    assert.equal(await page.getByRole('heading', { name: 'Password' }).count(), 0)
  })
})
