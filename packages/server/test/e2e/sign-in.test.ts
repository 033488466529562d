/** The first start, signing in, and sessions that end while the page is open. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import {
  BROWSER_TEST,
  endSessionAtRequest,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
  shareBrowser,
  signInContext,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/actions.ts'
import { EMAIL, PASSWORD, startTestHub } from '../helpers/hub/hub.ts'
import { createOperator } from '../helpers/hub/operators.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('signing in with a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()
  // Saved views belong to an operator, so each test that saves one has its own operator.
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('the setup link creates an operator who is signed in, and rejects weak passwords with a reason', async () => {
    await using empty = await startTestHub(sqliteEngine)
    await using opened = await openPage(browser(), empty, { signedIn: false })
    const { page, pageErrors } = opened
    await page.goto(empty.setupLink ?? '')
    await expectAccessible(page)
    await page.getByLabel('Your name').fill('Ann Example')
    await page.getByLabel('E-mail').fill('first@example.org')
    const create = async (password: string) => {
      await page.getByLabel(/^Password \*$/).fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await page.getByRole('button', { name: 'Create account and sign in' }).click()
    }
    await create('short')
    await page.getByText('Use at least 12 characters').waitFor()
    await create('Qwerty 123456')
    const alert = page.getByRole('alert')
    await alert.getByText('the password is a common one').waitFor()
    await expectAccessible(page)
    await create('recordhub first')
    await page.getByText('the password contains little more than your name').waitFor()
    await create(PASSWORD)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard')
    assert.deepEqual(pageErrors, [])
  })

  test('a wrong password shows a message, and the correct one opens the requested page', async () => {
    await using opened = await openPage(browser(), hub(), { signedIn: false, width: 390 })
    const { page, pageErrors } = opened
    await page.goto('/dashboard/records?q=ann')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectAccessible(page)
    await expectNoHorizontalScroll(page)
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel(/^Password \*$/).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Incorrect e-mail or password.').waitFor()
    await page.getByLabel(/^Password \*$/).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, '/dashboard/records?q=ann')
    assert.deepEqual(pageErrors, [])
  })

  test('an ended session opens the sign-in dialog over the page, which continues afterwards', async () => {
    await using opened = await openPage(browser(), hub())
    const { page } = opened
    await page.goto('/dashboard/records')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(`${EMAIL} · admin`).waitFor()
    await page.keyboard.press('Escape')
    // With another request, the sign-in dialog would open before the text is typed.
    await endSessionAtRequest(page, /\/api\/v1\/records\?q=/)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Pages, platforms, records').fill('unknown')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await untilTrueInPage(page, IS_PAGE_HIDDEN)
    await signInAgain(page)
    assert.equal(await page.getByLabel('Pages, platforms, records').inputValue(), 'unknown')
    await page.getByText('Search everywhere for').waitFor()
  })

  test('after another tab has replaced the session, a POST is retried with the new token', async () => {
    const operator = await createOperator(hub())
    await using opened = await openPage(browser(), hub(), { operator })
    const { page, context, pageErrors } = opened
    await page.goto('/dashboard/records')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const before = await readTokenTag(page)
    await signInContext(context, hub(), operator)
    const { token } = await saveView(page, 'With the session of the other tab')
    assert.notEqual(token, before)
    assert.equal(token, await readSessionToken(page))
    assert.equal(token, await readTokenTag(page))
    assert.equal(await page.getByRole('dialog', { name: 'Your session has ended' }).count(), 0)
    assert.deepEqual(pageErrors, [])
  })
})

/** The content of the page's `csrf-token` tag. */
function readTokenTag(page: Page): Promise<string | null> {
  return page.locator('meta[name="csrf-token"]').getAttribute('content')
}

/** The token of the browser's session, as the hub returns it. */
async function readSessionToken(page: Page): Promise<string> {
  const response = await page.request.get('/api/v1/session')
  const { csrf_token }: { csrf_token: string } = await response.json()
  return csrf_token
}

/** Signs in with the dialog over the page. */
async function signInAgain(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
  await dialog.getByLabel(/^Password \*$/).fill(PASSWORD)
  await dialog.getByRole('button', { name: 'Sign in' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** Saves a view with a POST. @returns the token that the POST sent. */
async function saveView(page: Page, name: string): Promise<{ token: string | undefined }> {
  const isSaved = (response: Response) =>
    new URL(response.url()).pathname === '/api/v1/views' && response.status() === 201
  const saved = page.waitForResponse(isSaved)
  await page.getByRole('button', { name: 'Views' }).click()
  await page.getByRole('menuitem', { name: 'Save this view…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Save this view' })
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Save' }).click()
  const headers = await (await saved).request().allHeaders()
  await dialog.waitFor({ state: 'hidden' })
  return { token: headers['x-csrf-token'] }
}

/** Evaluated in the page: whether the overlay over the page is opaque. */
const IS_PAGE_HIDDEN = `(() => {
  const { backgroundColor, opacity, position } = getComputedStyle(document.elementsFromPoint(1, 1)[0])
  const isOpaque = /^(?:rgb\\(|color\\(srgb [^/]*\\)$)/.test(backgroundColor) && opacity === '1'
  return position === 'fixed' && isOpaque
})()`
