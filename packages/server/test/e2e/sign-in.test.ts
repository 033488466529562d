/** The first run, signing in, and a session that ends in mid-work (UI: sign-in and first run, everywhere). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  endSessionUnder,
  expectAccessible,
  expectNoSidewaysScroll,
  openPage,
  shareBrowser,
  untilTrue,
} from '../helpers/browser.ts'
import { EMAIL, PASSWORD, startTestHub } from '../helpers/http-hub.ts'
import { sqliteEngine } from '../helpers/storage-sqlite.ts'

describe('signing in with a browser', BROWSER_TEST, () => {
  const browser = shareBrowser()

  test('the setup link creates an operator who is signed in, and rejects weak passwords with a reason', async () => {
    await using hub = await startTestHub(sqliteEngine)
    await using opened = await openPage(browser(), hub, { signedIn: false })
    const { page, complaints } = opened
    await page.goto(hub.setupLink ?? '')
    await expectAccessible(page)
    await page.getByLabel('Your name').fill('Ann Example')
    await page.getByLabel('E-mail').fill('first@example.org')
    const create = async (password: string) => {
      await page.getByLabel(/^Password \*$/).fill(password)
      await page.getByLabel('Password again').fill(password)
      await page.getByRole('button', { name: 'Create and sign in' }).click()
    }
    await create('short')
    await page.getByText('Use 12 characters or more').waitFor()
    await create('Qwerty 123456')
    const alert = page.getByRole('alert')
    await alert.getByText('the password is among those that many people use').waitFor()
    await expectAccessible(page)
    await create('recordhub first')
    await page.getByText('the password is little more than your name').waitFor()
    await create(PASSWORD)
    await page.getByRole('heading', { name: 'Overview' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard')
    assert.deepEqual(complaints, [])
  })

  test('a wrong password shows a message, and the right one leads to the page that was requested', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using opened = await openPage(browser(), hub, { signedIn: false, width: 390 })
    const { page, complaints } = opened
    await page.goto('/dashboard/records?q=ann')
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await expectAccessible(page)
    await expectNoSidewaysScroll(page)
    await page.getByLabel('E-mail').fill(EMAIL)
    await page.getByLabel(/^Password \*$/).fill('not the password')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('The e-mail or the password is wrong.').waitFor()
    await page.getByLabel(/^Password \*$/).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Records' }).waitFor()
    const { pathname, search } = new URL(page.url())
    assert.equal(pathname + search, '/dashboard/records?q=ann')
    assert.deepEqual(complaints, [])
  })

  test('an ended session opens the sign-in over the page, which continues afterwards', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    await page.goto('/dashboard/records')
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByText(`${EMAIL} · admin`).waitFor()
    await page.keyboard.press('Escape')
    // Under another call the sign-in would come before anything is typed.
    await endSessionUnder(page, /\/api\/v1\/records\?q=/)
    await page.keyboard.press('Control+k')
    await page.getByLabel('Pages, platforms, records').fill('somebody')
    const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
    await dialog.waitFor()
    await untilTrue(page, HIDES_THE_PAGE)
    await dialog.getByLabel(/^Password \*$/).fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await dialog.waitFor({ state: 'hidden' })
    assert.equal(await page.getByLabel('Pages, platforms, records').inputValue(), 'somebody')
    await page.getByText('Search everywhere for').waitFor()
  })
})

/** In the browser: what lies over the page is opaque, once it has come in. */
const HIDES_THE_PAGE = `(() => {
  const { backgroundColor, opacity, position } = getComputedStyle(document.elementsFromPoint(1, 1)[0])
  const isOpaque = /^(?:rgb\\(|color\\(srgb [^/]*\\)$)/.test(backgroundColor) && opacity === '1'
  return position === 'fixed' && isOpaque
})()`
