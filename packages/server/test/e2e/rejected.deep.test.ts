/** Rejected pushes in a browser: many at once, and on a phone. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  expectNoHorizontalScroll,
  openPage,
} from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectError } from '../helpers/hub/response.ts'
import { simulatedModule, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('rejected pushes in a browser', BROWSER_TEST, () => {
  test('all rejected pushes with one cause are tested and replayed, and those with another cause are dismissed', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const modules = [simulatedModule('cases'), simulatedModule('ghosts')]
    await using school = await simulatePlatform({ modules })
    const { platform_name } = school
    const { id, hub_api_key } = await hub.register(school, { record_types: ['cases'] })
    for (let n = 0; n < 7; n += 1) {
      await hub.push(hub_api_key, newRecord(`G-${n}`, { record_type: 'ghosts' }))
    }
    await hub.push(hub_api_key, newRecord('B-1', { data: 5 }))
    const registered = await hub.callAs('operator', 'PATCH', `/api/v1/platforms/${id}`, {
      record_types: ['cases', 'ghosts'],
    })
    assert.equal(registered.status, 200, registered.text)
    const { page } = await openPage(hub, { colorScheme: 'dark' })
    await page.goto('/dashboard/inbox?tab=rejected')
    await page.getByRole('button', { name: /^B-1 / }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: /^Show only these: The module "ghosts"/ }).click()
    await page.getByRole('button', { name: /^B-1 / }).waitFor({ state: 'detached' })
    await page.waitForURL(/cause=/)
    const group = page.getByRole('region', { name: 'Preview' })
    await group.getByText('tested just now').waitFor()
    await expectAccessible(page)
    assert.deepEqual(await hub.records(platform_name), [])
    await group.getByRole('button', { name: 'Replay 7' }).click()
    await page.getByText('7 new, 0 rejected again.').waitFor()
    assert.equal((await hub.records(platform_name)).length, 7)
    await page.getByText('No matching rejected pushes').waitFor()

    await page.goto('/dashboard/inbox?tab=rejected&code=invalid_record')
    await page.getByRole('button', { name: 'Dismiss all matching' }).click()
    const confirmation = page.getByRole('dialog', { name: 'Dismiss all matching?' })
    await confirmation.getByRole('button', { name: 'Dismiss', exact: true }).click()
    await page.getByText('1 rejected push dismissed').waitFor()
    const rejected = await hub.rejected(platform_name)
    assert.ok(rejected.every(({ replayed_at }) => replayed_at !== null))
  })

  test('a rejected push opens on a phone, and script in its body is shown as text', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const school = await hub.registerPushing()
    const full_name = `<script>document.title = 'taken'</script>${'x'.repeat(10_000)}`
    await hub.push(school.hub_api_key, newRecord('R-2', { data: 2 }))
    const response = await hub.push(
      school.hub_api_key,
      newRecord('<b>R-1</b>', { full_name, data: 1 }),
    )
    const { request_id } = expectError(response, 422, 'invalid_record')
    const { page } = await openPage(hub, { width: 390 })
    await page.goto('/dashboard/inbox?tab=rejected')
    await page.getByRole('button', { name: /^R-2/ }).waitFor()
    await expectAccessible(page)
    await page.getByRole('button', { name: 'Filters' }).click()
    await page.getByLabel('Request ID').fill(request_id)
    await page.getByRole('button', { name: /^R-2/ }).waitFor({ state: 'detached' })
    await expectNoHorizontalScroll(page)
    await page.getByRole('button', { name: /^<b>R-1<\/b>/ }).click()
    const drawer = page.getByRole('dialog', { name: 'Rejected record' })
    await drawer.getByText(`Last request ${request_id}`).waitFor()
    await drawer.getByText('Pretty', { exact: true }).click()
    await drawer.getByText('<script>document.title').waitFor()
    await expectNoHorizontalScroll(page)
    assert.match(await page.title(), /^(?:\(\d\) )?All rejected pushes · Recordhub$/)
  })
})
