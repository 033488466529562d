/** The search in a browser: one result list per platform. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { BROWSER_TEST, openPage } from '../helpers/browser/browser.ts'
import { untilIndexed } from '../helpers/browser/records.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import {
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('the search in a browser', BROWSER_TEST, () => {
  test('the search shows one result list per platform: found, none, no endpoint, failed, unknown format, and slow', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      timeouts: { searchSeconds: 3600 },
    })
    const names = ['found', 'none', 'missing', 'failed', 'raw', 'slow'] as const
    await using stack = new AsyncDisposableStack()
    const platforms = new Map<string, SimulatedPlatform>()
    for (const platform_name of names) {
      const records = [simulatedRecord(1, { city: 'Bern', n: 1 })]
      const modules = [simulatedModule('cases', { records })]
      const simulated = stack.use(await simulatePlatform({ platform_name, modules }))
      platforms.set(platform_name, simulated)
      const { hub_api_key } = await hub.register(simulated)
      if (platform_name === 'found') await pushPerson(hub, hub_api_key)
    }
    const platformOf = (name: (typeof names)[number]) => platforms.get(name) ?? assert.fail(name)
    const numbers = '{"records":[{"full_name":"Person <b>X</b>","n":9007199254740993}]}'
    platformOf('found').setResponse('search', respond.text(numbers, 'application/json'))
    platformOf('none').setResponse('search', respond.json({ records: [] }))
    platformOf('missing').setResponse('search', respond.status(404))
    platformOf('failed').setResponse('search', respond.status(500))
    platformOf('raw').setResponse('search', respond.json({ hits: { total: 3 } }))
    const delayed = platformOf('slow').delayNextResponse('search')

    const { page } = await openPage(hub)
    const results = (title: string) => page.getByRole('region', { name: title })
    await page.goto('/dashboard/search')
    await page.getByRole('textbox', { name: 'Keyword or person' }).fill('Person')
    await page.keyboard.press('Enter')
    await results('In the hub').getByRole('link', { name: 'Person of ours' }).waitFor()
    await results('Title of found').getByText('1 found').waitFor()
    await results('Title of none').getByText('nothing found').waitFor()
    await results('Title of missing').getByText('has no search endpoint').waitFor()
    await results('Title of failed').getByText('HTTP 500').waitFor()
    await results('Title of raw').getByText('{"hits":{"total":3}}').waitFor()
    await results('Title of slow')
      .getByText(/^searching, \d+ s$/)
      .waitFor()
    await page.getByText('5 of 6 responded').waitFor()
    await page.getByRole('button', { name: 'Stop' }).click()
    await results('Title of slow').getByText('stopped').waitFor()
    delayed.release()
    await page.getByRole('button', { name: 'Search again' }).click()
    await results('Title of slow').getByText('1 found').waitFor()
    await page.getByText('6 of 6 responded').waitFor()

    await results('Title of found').getByRole('button', { name: 'Person <b>X</b>' }).click()
    await results('Title of found').getByText('9007199254740993').waitFor()
    assert.equal(new URL(page.url()).searchParams.get('query'), 'Person')
    await results('In the hub').getByRole('link', { name: 'Person of ours' }).click()
    await page
      .getByRole('complementary', { name: 'Record' })
      .getByText('Person of ours')
      .first()
      .waitFor()
  })

  test('a platform that is chosen shows its records, however many better ones others have', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    await using many = await simulatePlatform({ modules: [simulatedModule('cases')] })
    await using few = await simulatePlatform({
      platform_name: 'few',
      modules: [simulatedModule('cases')],
    })
    const { post } = await hub.register(many)
    for (let number = 0; number < 21; number += 1) {
      assert.equal((await post(newRecord(`M-${number}`, { full_name: 'Person' }))).status, 201)
    }
    const { hub_api_key } = await hub.register(few)
    await pushPerson(hub, hub_api_key)
    const { page } = await openPage(hub)
    await page.goto('/dashboard/search?query=Person')
    const own = page.getByRole('region', { name: 'In the hub' })
    await own.getByText('22 records, best first').waitFor()
    await page.getByRole('button', { name: 'Platform', exact: true }).click()
    await page.getByRole('menuitem', { name: 'Title of few' }).click()
    await own.getByText('1 record, best first').waitFor()
    await own.getByRole('link', { name: 'Person of ours' }).waitFor()
  })
})

async function pushPerson(hub: TestHub, key: string): Promise<void> {
  await hub.push(key, newRecord('C-1', { full_name: 'Person of ours' }))
  await untilIndexed(hub)
}
