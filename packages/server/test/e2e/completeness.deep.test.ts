/** What the page says about complete modules, unlisted and accepted records. */
import { describe, test } from 'node:test'
import { BROWSER_TEST, expectAccessible, openPage } from '../helpers/browser/browser.ts'
import { shareHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform } from '../helpers/hub/pulled-hub.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('completeness in a browser', BROWSER_TEST, () => {
  const hub = shareHub(sqliteEngine, { withOperator: true })

  test('an ETag confirms a verified module, and everything is read again on request', async () => {
    await using kit = await addPulledPlatform(hub)
    const records = [simulatedRecord(1)]
    const { platform_name } = kit.platform
    const members = { success: true, platform_name, record_type: 'cases', total: 1 }
    kit.platform.setResponse(
      'records/cases',
      respond.conditional({ ...members, records }, { ETag: '"v1"' }),
    )
    await kit.pull()
    await kit.pull()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${kit.registered.id}`)
    await page.getByText(/Verified .*, unchanged since by ETag at /).waitFor()
    await expectAccessible(page)
    const again = page.getByRole('button', { name: 'Read everything again' })
    await again.last().click()
    await page.waitForURL(/pulls\/\d+/)
    const succeeded = page.getByText('Succeeded', { exact: true })
    await succeeded.filter({ visible: true }).first().waitFor()
    await page.goBack()
    await page.getByText(/Verified [^,]*, 2[^,]*\./).waitFor()
    await page.getByText('unchanged since').waitFor({ state: 'detached' })
  })

  test('a pull that did not contain many records is shown with their review, however often it is repeated', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    module.records = Array.from({ length: 30 }, (_, number) => simulatedRecord(number))
    await kit.pull()
    module.records = module.records.slice(0, 10)
    await kit.pull()
    const { pull } = await kit.pull()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/pulls/${pull.id}`)
    await page.getByText('Succeeded, 20 not listed').first().waitFor()
    await page.getByText('20 of 30 records of Module cases missing').waitFor()
    await expectAccessible(page)
    await page.getByRole('link', { name: '20', exact: true }).click()
    await page.getByRole('heading', { name: '20 of 30 records missing (67 %)' }).waitFor()
  })

  test('an operator accepts rejected records as exceptions, and opens them again', async () => {
    await using kit = await addPulledPlatform(hub)
    only(kit.platform.modules).records = [
      ...[simulatedRecord(1), simulatedRecord(2)],
      ...[simulatedRecord(1, { copy: 1 }), simulatedRecord(2, { copy: 2 })],
    ]
    await kit.pull()
    const { page } = await openPage(hub)
    await page.goto(`/dashboard/platforms/${kit.registered.id}`)
    await page.getByText('The last pull succeeded, with warnings: 2 rejected').waitFor()
    await page.goto(`/dashboard/inbox?tab=rejected&platform=${kit.platform.platform_name}`)
    await page.getByRole('button', { name: 'Accept as exceptions' }).first().click()
    const dialog = page.getByRole('dialog', { name: 'Accept these records as exceptions?' })
    await dialog.getByRole('button', { name: 'Accept as exceptions' }).click()
    await page
      .getByText(/Accepted as exceptions by .* until they change/)
      .first()
      .waitFor()
    await expectAccessible(page)
    await kit.pull()
    await page.goto(`/dashboard/platforms/${kit.registered.id}`)
    await page.getByText(/2 accepted exceptions/).waitFor()
    await page.goto(`/dashboard/inbox?tab=rejected&platform=${kit.platform.platform_name}`)
    await page.getByRole('button', { name: 'Open again' }).first().click()
    await page.getByRole('button', { name: 'Accept as exceptions' }).first().waitFor()
  })
})
