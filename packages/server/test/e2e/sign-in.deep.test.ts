/** Sessions that end and are replaced while the page is open. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page, Response } from 'playwright-core'
import {
  BROWSER_TEST,
  endSessionAtRequest,
  expectNoHorizontalScroll,
  OVERVIEW_TITLE,
  openPage,
  signInContext,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('signing in with a browser', BROWSER_TEST, () => {
  // Saved views belong to an operator, so each test that saves one has its own operator.
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('after a sign-in in the dialog, the meta tag contains the new token, and the next POST sends it', async () => {
    const operator = await hub.createOperator()
    const { page } = await openPage(hub, { operator })
    await page.goto('/dashboard/records')
    const before = await readTokenTag(page)
    assert.equal(before, await readSessionToken(page))
    await endSessionAtRequest(page, /\/api\/v1\/records\?.*\bq=/)
    await page.getByRole('textbox', { name: 'Search' }).fill('unknown')
    await signInAgain(page)
    const after = await readTokenTag(page)
    assert.notEqual(after, before)
    assert.equal(after, await readSessionToken(page))
    assert.equal((await saveView(page, 'After the sign-in')).token, after)
  })

  test('after another tab has signed out and in again, this tab continues with the new token', async () => {
    const operator = await hub.createOperator()
    const { page, context } = await openPage(hub, { operator })
    await page.goto('/dashboard/records')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const other = await context.newPage()
    await other.goto('/dashboard')
    await other.getByRole('button', { name: 'Your account' }).click()
    await other.getByRole('menuitem', { name: 'Sign out' }).click()
    await other.getByLabel('E-mail').fill(operator.email)
    assert.equal(await readTokenTag(other), '')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    await other.getByLabel(/^Password$/).fill(PASSWORD)
    await other.getByRole('button', { name: 'Sign in' }).click()
    await other.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    // In a headless browser, every tab has the focus, so no focus event is sent.
    await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
    await ended.waitFor({ state: 'hidden' })
    assert.equal(await readTokenTag(page), await readTokenTag(other))
    assert.equal((await saveView(page, 'After the other tab')).token, await readTokenTag(page))
  })

  test('after another tab has replaced the session, a POST is retried with the new token', async () => {
    const operator = await hub.createOperator()
    const { page, context } = await openPage(hub, { operator })
    await page.goto('/dashboard/records')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const before = await readTokenTag(page)
    await signInContext(context, hub, operator)
    const { token } = await saveView(page, 'With the session of the other tab')
    assert.notEqual(token, before)
    assert.equal(token, await readSessionToken(page))
    assert.equal(token, await readTokenTag(page))
    assert.equal(await page.getByRole('dialog', { name: 'Your session has ended' }).count(), 0)
  })

  test('another operator who signs in at an ended session gets the page without a reload, and nothing of the former one', async () => {
    const [former, other] = [await hub.createOperator(), await hub.createOperator()]
    const { page } = await openPage(hub, { operator: former })
    await page.goto('/dashboard/records')
    await page.evaluate('window.isSamePage = true')
    await endSessionAtRequest(page, /\/api\/v1\/records\?.*\bq=/)
    await page.getByRole('textbox', { name: 'Search' }).fill('of the former')
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    await ended.waitFor()
    assert.equal(
      await ended.getByRole('link', { name: 'Sign out' }).getAttribute('href'),
      '/sign-in',
    )
    const requests: string[] = []
    page.on('request', (request) => void requests.push(request.url()))
    await ended.getByLabel('E-mail').fill(other.email)
    await ended.getByLabel(/^Password$/).fill(PASSWORD)
    const signingIn = page.waitForRequest('**/api/auth/sign-in/email')
    await ended.getByRole('button', { name: 'Sign in' }).click()
    const { 'x-requested-with': client } = await (await signingIn).allHeaders()
    assert.equal(client, 'XMLHttpRequest')
    await ended.waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(other.email).first().waitFor()
    assert.equal(await page.evaluate('window.isSamePage'), true)
    assert.equal(page.url(), `${hub.address}/dashboard`)
    assert.deepEqual(
      requests.filter((url) => url.includes('former')),
      [],
    )
    assert.equal(await readTokenTag(page), await readSessionToken(page))
  })

  test('a wrong password shows a message, and the correct one opens the requested page', async () => {
    const { page } = await openPage(hub, { signedIn: false, width: 390 })
    await page.goto('/dashboard/records?q=ann')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectNoHorizontalScroll(page)
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel(/^Password$/).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong e-mail or password.').waitFor()
    await page.getByLabel(/^Password$/).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, '/dashboard/records?q=ann')
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
  await dialog.getByLabel(/^Password$/).fill(PASSWORD)
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
