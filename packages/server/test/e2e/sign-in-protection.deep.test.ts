/** Invitations, the login throttle, and the export of the audit log in a browser. */
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import {
  BROWSER_TEST,
  expectAccessible,
  OVERVIEW_TITLE,
  openPage,
} from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD } from '../helpers/hub/hub.ts'
import { expectAbsent } from '../helpers/hub/response.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const HOURS_MS = 3_600_000

describe('the protection of the sign-in in a browser', BROWSER_TEST, () => {
  // A stopped clock, so that nothing expires on a slow machine.
  let time = Date.now()
  const clock = { now: () => new Date(time) }
  test('an idle session ends although the page polls, and the sign-in dialog opens over the page', async () => {
    const { page } = await openPage(hub, { withClock: true })
    await page.goto('/dashboard')
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    const ended = page.getByRole('dialog', { name: 'Your session has ended' })
    // Requests that are in progress when the time is changed count as activity of the user.
    let hours = 0
    let isRejected = false
    while (!isRejected && hours < 24) {
      hours += 3
      time += 3 * HOURS_MS
      const polling = page.waitForRequest('**/dashboard/realtime')
      await page.clock.fastForward(3 * HOURS_MS)
      const response = await (await polling).response()
      isRejected = response?.status() === 401
    }
    assert.ok(isRejected, 'requests of the page do not extend the session')
    assert.ok(hours > 8, `ended after ${hours} hours`)
    await ended.waitFor()
    await ended.getByLabel(/^Password$/).fill(PASSWORD)
    await ended.getByRole('button', { name: 'Sign in', exact: true }).click()
    await ended.waitFor({ state: 'hidden' })
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
  })

  const hub = shareHub(sqliteEngine, { withOperator: true, clock })

  test('a second link in the same tab opens the other invitation, and no request has a token in its URL', async () => {
    const [first, second] = [
      await hub.invite('first@example.org', 'viewer'),
      await hub.invite('second@example.org', 'operator'),
    ]
    const { page } = await openPage(hub, { signedIn: false })
    const sent: string[] = []
    await page.route('**', async (route) => {
      const request = route.request()
      const { referer = '' } = await request.allHeaders()
      sent.push(referer, request.url().replace(/#.*/, ''))
      await route.continue()
    })
    const untilInvitationOf = (email: string) =>
      page
        .getByLabel('E-mail')
        .and(page.locator(`[value="${email}"]`))
        .waitFor()
    await page.goto(`/invitation#token=${first}`)
    await untilInvitationOf('first@example.org')
    await page.getByLabel('Your name').fill('First')
    await fillNewPassword(page, PASSWORD)
    await page.goto(`/invitation#token=${second}`)
    await untilInvitationOf('second@example.org')
    await page.getByText('with the role operator').waitFor()
    await page.goBack()
    await untilInvitationOf('first@example.org')
    await page.goForward()
    await untilInvitationOf('second@example.org')
    assert.equal(
      await page.getByLabel('Your name').inputValue(),
      '',
      'the input for the other invitation is cleared',
    )
    await page.goto('/invitation#token=rhi_unknown')
    await page.getByText('This invitation is no longer valid.').waitFor()
    await page.goto('/invitation#')
    await page.getByText('This invitation is no longer valid.').waitFor()
    await page.goto(`/invitation#token=${second}`)
    await untilInvitationOf('second@example.org')
    await page.reload()
    await untilInvitationOf('second@example.org')
    await page.getByLabel('Your name').fill('Second')
    await fillNewPassword(page, PASSWORD)
    await page.getByRole('button', { name: 'Create account and sign in' }).click()
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
    const operators = await hub.storage.operators.listOperators()
    assert.ok(
      operators.some(({ email, role }) => email === 'second@example.org' && role === 'operator'),
    )
    assert.ok(!operators.some(({ email }) => email === 'first@example.org'))
    assert.ok(sent.some((address) => address.endsWith('/api/v1/invitation')))
    expectAbsent([first, second], [...sent, hub.log()])
  })

  test('the filtered audit log is exported as a file', async () => {
    const { page } = await openPage(hub)
    await page.goto('/dashboard/settings?tab=audit&action=session.begin')
    await page.getByRole('table').getByText(EMAIL).first().waitFor()
    for (const [name, prefix] of [
      ['Export as CSV', 'id,at,actor,action,target,address,details\r\n'],
      ['Export as NDJSON', '{"id":'],
    ] as const) {
      const downloading = page.waitForEvent('download')
      await page.getByRole('link', { name }).click()
      const download = await downloading
      assert.match(download.suggestedFilename(), /^audit-[-\d]+\.(csv|ndjson)$/)
      const text = await readFile(await download.path(), 'utf8')
      assert.ok(text.startsWith(prefix), text)
      assert.ok(text.includes('session.begin') && !text.includes('operator.create'), text)
    }
  })

  test('after too many failed attempts, the page shows how long to wait', async () => {
    const { page } = await openPage(hub, { signedIn: false })
    await page.goto('/sign-in')
    await page.getByLabel('E-mail').fill(EMAIL)
    for (let attempt = 0; attempt < 6; attempt++) {
      await page.getByLabel(/^Password$/).fill('not the password')
      const responded = page.waitForResponse('**/api/auth/sign-in/email')
      await page.getByRole('button', { name: 'Sign in', exact: true }).click()
      assert.equal((await responded).status(), attempt < 5 ? 401 : 429)
      if (attempt === 3) await page.getByText('After one more wrong attempt, you have').waitFor()
    }
    await page.getByText(/^Too many attempts\. Wait \d+ seconds and try again\.$/).waitFor()
    await expectAccessible(page)
    time += HOURS_MS
    await page.getByLabel(/^Password$/).fill(PASSWORD)
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: OVERVIEW_TITLE }).waitFor()
  })
})

async function fillNewPassword(page: Page, password: string): Promise<void> {
  await page.getByLabel(/^Password$/).fill(password)
  await page.getByLabel('Confirm password').fill(password)
}
