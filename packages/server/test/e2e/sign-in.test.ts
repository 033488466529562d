/** The first start, signing in, and sessions that end while the page is open. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  endSessionAtRequest,
  OVERVIEW_TITLE,
  openPage,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { shareFilledHub } from '../helpers/browser/navigation.ts'
import { EMAIL, PASSWORD, startTestHub } from '../helpers/hub/hub.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { isDeep } from '../helpers/time/tier.ts'

describe('signing in with a browser', BROWSER_TEST, () => {
  const filled = shareFilledHub()

  test('the setup link creates an operator who is signed in, and rejects weak passwords with a reason', async () => {
    await using empty = await startTestHub(sqliteEngine)
    const { page } = await openPage(empty, { signedIn: false })
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: 'This hub has no operator yet' }).waitFor()
    await page.getByText('Create the first operator: …/setup#token=…').waitFor()
    await page.goto(empty.setupLink ?? '')
    await page.getByLabel('Your name').fill('Ann Example')
    await page.getByLabel('E-mail').fill('first@example.org')
    const create = async (password: string) => {
      await page.getByLabel(/^Password$/).fill(password)
      await page.getByLabel('Confirm password').fill(password)
      await page.getByRole('button', { name: 'Create account and sign in' }).click()
    }
    await create('short')
    await page.getByText('Use at least 12 characters').waitFor()
    await create('Qwerty 123456')
    const alert = page.getByRole('alert')
    await alert.getByText('the password is a common one').waitFor()
    await create('recordhub first')
    await page.getByText('the password contains little more than your name').waitFor()
    await create(PASSWORD)
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/dashboard')
  })

  if (isDeep)
    test('an ended session opens the sign-in dialog over the page, which continues afterwards', async () => {
      const { page } = await openPage(filled().hub)
      await page.goto('/dashboard/records')
      await page.getByRole('button', { name: 'Your account' }).click()
      await page.getByText(`${EMAIL} · admin`).waitFor()
      await page.keyboard.press('Escape')
      // With another request, the sign-in dialog would open before the text is typed.
      await endSessionAtRequest(page, /\/api\/v1\/search\?/)
      await page.keyboard.press('Control+k')
      await page.getByLabel('Pages, platforms, records').fill('unknown')
      const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
      await dialog.waitFor()
      await untilTrueInPage(page, IS_PAGE_HIDDEN)
      await dialog.getByLabel(/^Password$/).fill('not the password')
      await dialog.getByRole('button', { name: 'Sign in' }).click()
      await dialog.getByText('Wrong e-mail or password.').waitFor()
      await dialog.getByLabel(/^Password$/).fill(PASSWORD)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'hidden' })
      assert.equal(await page.getByLabel('Pages, platforms, records').inputValue(), 'unknown')
      await page.getByText('Search everywhere for').waitFor()
    })
})

/** Evaluated in the page: whether the overlay over the page is opaque. */
const IS_PAGE_HIDDEN = `(() => {
  const { backgroundColor, opacity, position } = getComputedStyle(document.elementsFromPoint(1, 1)[0])
  const isOpaque = /^(?:rgb\\(|color\\(srgb [^/]*\\)$)/.test(backgroundColor) && opacity === '1'
  return position === 'fixed' && isOpaque
})()`
