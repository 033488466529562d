/** The registration of a platform in a browser, up to its first push (specification 1.7). */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Page } from 'playwright-core'
import { advanceUntilShown, BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import {
  COURT_TITLE,
  pushStatus,
  readShownKey,
  simulateCourt,
  startHubWithOperator,
} from '../helpers/browser/platforms.ts'

async function enterSource(page: Page, url: string, key: string): Promise<void> {
  await page.getByLabel('Source Base URL').fill(url)
  await page.getByRole('textbox', { name: 'Source API key' }).fill(key)
  await page.getByRole('button', { name: 'Test Connection', exact: true }).click()
}

async function copiedText(page: Page, button: string): Promise<string> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: button }).first().click()
  await page.getByRole('button', { name: 'Copied' }).first().waitFor()
  return page.evaluate<string>('navigator.clipboard.readText()')
}

describe('registering a platform in a browser', BROWSER_TEST, () => {
  test('a platform is registered, receives its first push, and is pulled', async () => {
    await using hub = await startHubWithOperator()
    await using platform = await simulateCourt()
    const { page } = await openPage(hub, { withClock: true })
    await page.goto('/dashboard/platforms')
    await page.getByText('No platforms registered').waitFor()
    await page.getByRole('link', { name: 'Register a platform' }).click()

    const { host } = new URL(platform.source_base_url)
    await enterSource(page, 'http://127.0.0.1:9', platform.source_api_key)
    await page.getByText('The platform cannot be reached').first().waitFor()
    assert.equal(await page.getByLabel('Source Base URL').getAttribute('aria-invalid'), 'true')
    await page.getByText('A wrong host or port').waitFor()
    await page.getByText('Test the address with curl').waitFor()
    await page.getByText('Not connected yet').waitFor()

    await enterSource(page, platform.source_base_url, 'a wrong key')
    await page.getByText(`There is a server at ${host}.`).waitFor()
    await page.getByText('The platform rejected the source API key').first().waitFor()
    await page.getByText('Not connected yet').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Select modules' }).count(), 0)
    assert.match(
      await copiedText(page, 'Copy a message to the owner'),
      /rejected the source API key/,
    )
    await page.getByRole('button', { name: 'Enter another key' }).click()
    const key = page.getByRole('textbox', { name: 'Source API key' })
    assert.equal(await key.getAttribute('aria-invalid'), 'true')
    await page.keyboard.type('rhk_of_a_hub')
    assert.equal(await key.inputValue(), 'rhk_of_a_hub')
    await page.getByRole('button', { name: 'Fetch Platform Data', exact: true }).click()
    await page.getByText('This key starts with rhk_').waitFor()
    await page.getByText('Records of each module').first().waitFor()

    const others = () => platform.requests.filter(({ path }) => !path.endsWith('/ping')).length
    const before = others()
    await enterSource(page, platform.source_base_url, platform.source_api_key)
    await page.getByText('court is online. Fetch its platform data to select modules.').waitFor()
    assert.equal(others(), before)
    const fetchData = page.getByRole('button', { name: 'Fetch Platform Data', exact: true })
    await page.getByLabel('Source Base URL').fill(`${platform.source_base_url}/api`)
    await fetchData.click()
    await page.getByRole('button', { name: `Use ${platform.source_base_url}` }).click()
    assert.equal(await page.getByLabel('Source Base URL').inputValue(), platform.source_base_url)
    await fetchData.click()
    await page.getByText('OK: 3 records reported.').waitFor()
    await page.getByText(`${COURT_TITLE} (court)`, { exact: true }).waitFor()
    const checks = page.getByRole('list', { name: 'Checks' }).getByRole('listitem')
    assert.deepEqual(await checks.locator('b').allInnerTexts(), [
      'Reachable',
      'Ping',
      'Manifest',
      'Records of Cases',
      'Records of Visits',
      'Search',
    ])
    await page.getByRole('button', { name: 'Select modules' }).click()

    await page.getByText('2 of 2 modules, 3 records.').waitFor()
    await page.getByRole('button', { name: '4 fields of Cases' }).click()
    await page.getByRole('cell', { name: 'Label status' }).first().waitFor()
    await page.getByRole('checkbox', { name: 'Visits' }).uncheck()
    await page.getByText('1 of 2 modules, 3 records.').waitFor()
    await page.getByRole('button', { name: 'Register with 1 module' }).click()

    await page.getByRole('heading', { name: `${COURT_TITLE} is registered` }).waitFor()
    const hubKey = await readShownKey(page)
    assert.match(hubKey, /^rhk_\w{49}$/)
    const command = await page.getByLabel('Example push').innerText()
    for (const header of [`X-API-KEY: ${hubKey}`, 'ngrok-skip-browser-warning: true']) {
      assert.ok(command.includes(header), header)
    }
    assert.doesNotMatch(page.url(), /rhk_|key/)
    await page.getByText('Waiting for the first push').waitFor()
    assert.equal(await pushStatus(hub, hubKey, 'PUSHED-1'), 201)
    await advanceUntilShown(page, page.getByText('First push received'))

    await page.getByRole('button', { name: 'Pull now' }).click()
    await page.waitForURL(/\/dashboard\/pulls\/\d+$/)
    await advanceUntilShown(page, page.getByText('Succeeded').first())
    // The module succeeds before the pull does.
    await hub.untilPullEnds(Number(new URL(page.url()).pathname.split('/').at(-1)))
    assert.equal((await hub.records('court')).length, 4)
  })
})
