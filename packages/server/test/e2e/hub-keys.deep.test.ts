/** The hub API key in the settings of a platform, in a browser. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectStaysOpen, openPage } from '../helpers/browser/browser.ts'
import { shareFilledHub } from '../helpers/browser/navigation.ts'
import { pushStatus, readShownKey } from '../helpers/browser/platforms.ts'
import { PASSWORD } from '../helpers/hub/hub.ts'

describe('the settings of a platform in a browser', BROWSER_TEST, () => {
  const filled = shareFilledHub()

  test('entering the password reveals the hub API key, and the key is rotated with a grace period', async () => {
    const { hub } = filled()
    await using platform = await hub.createPlatform()
    const { id, hub_api_key: old } = platform
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${id}?tab=settings`)
    await page.getByRole('button', { name: 'Reveal key' }).click()
    const password = page.getByRole('textbox', { name: 'Your password' })
    await password.fill('not the password')
    await page.keyboard.press('Enter')
    await page.getByText('The password is wrong.').waitFor()
    assert.equal(await password.getAttribute('aria-invalid'), 'true')
    await password.fill(PASSWORD)
    await page.keyboard.press('Enter')
    assert.equal(await readShownKey(page), old)
    await expectStaysOpen(page, page.getByRole('dialog'))
    await page.getByRole('button', { name: 'Done' }).click()

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    const second = await readShownKey(page)
    assert.notEqual(second, old)
    await expectStaysOpen(page, page.getByRole('dialog', { name: 'New hub API key' }))
    await page.getByRole('button', { name: 'Done' }).click()
    for (const key of [old, second]) assert.ok((await pushStatus(hub, key, 'R-1')) < 300)
    const keys = page.getByRole('list', { name: 'Valid keys' }).getByRole('listitem')
    await keys.nth(1).getByText('valid until').waitFor()
    assert.equal(await keys.count(), 2)

    await page.getByRole('button', { name: 'End old key' }).click()
    const ending = page.getByRole('dialog', { name: 'End the old hub API key now?' })
    await ending.getByRole('button', { name: 'End old key' }).click()
    await page.getByText('The old hub API key is no longer valid.').waitFor()
    assert.equal(await pushStatus(hub, old, 'R-1'), 401)

    await page.getByRole('button', { name: 'Rotate key' }).click()
    await page.getByText('no time', { exact: true }).click()
    await page.getByText('Pushes with the old key are rejected immediately').waitFor()
    await password.fill(PASSWORD)
    await page.getByRole('button', { name: 'Rotate the key' }).click()
    const third = await readShownKey(page)
    assert.equal(await pushStatus(hub, second, 'R-2'), 401)
    assert.equal(await pushStatus(hub, old, 'R-2'), 401)
    assert.equal(await pushStatus(hub, third, 'R-2'), 201)
  })
})
