/** Pages render the names and values of platforms, modules, fields and records as text. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  openPage,
  trackRequests,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { respond, simulatedModule, simulatePlatform } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

const hostile = (name: string) =>
  `${name}"'><img src=x onerror="window.hacked=1"><script>window.hacked=1</script><a href="javascript:window.hacked=1">\u202etxt.exe</a>{{7*7}}`

describe('hostile content in a browser', BROWSER_TEST, () => {
  test('no page runs, opens or requests hostile content', async () => {
    await using hub = await startTestHub(sqliteEngine, { withOperator: true })
    const status = hostile('status')
    const data = { [status]: hostile('value'), link: 'javascript:window.hacked=1' }
    const module = simulatedModule('cases', {
      module_name: hostile('module'),
      description: hostile('description'),
      fields: [
        { key: status, label: hostile('label'), type: 'string', required: false },
        { key: 'link', label: 'Link', type: 'url', required: false },
      ],
      records: [{ reference_number: hostile('reference'), full_name: hostile('name'), data }],
    })
    await using platform = await simulatePlatform({
      platform_name: hostile('platform'),
      source_api_key: 'a source key of sixteen letters',
      modules: [module],
    })
    const { id, hub_api_key } = await hub.register(platform)
    await hub.pullAll()
    await hub.push(hub_api_key, newRecord('R', { record_type: hostile('type'), data }))
    platform.setResponse(
      'records/cases',
      respond.json({ success: false, message: hostile('error') }),
    )
    const { pull } = await hub.pullAll()

    const { page, pageErrors } = await openPage(hub)
    const responded = trackRequests(page)
    let dialogs = 0
    page.on('dialog', (dialog) => {
      dialogs += 1
      void dialog.dismiss()
    })
    const record = { platform: platform.platform_name, record_type: 'cases', record: '1' }
    const ofRecord = `/dashboard/records?${new URLSearchParams(record)}`
    const scriptLink = `/sign-in?next=${encodeURIComponent('javascript:window.hacked=1')}`
    const pagesWithContent = [
      '/dashboard',
      `/dashboard/platforms/${id}`,
      '/dashboard/records',
      ofRecord,
      `/dashboard/search?query=${encodeURIComponent(hostile('name'))}`,
      `/dashboard/pulls/${pull.id}`,
      '/dashboard/log',
    ]
    const allPages = [
      ...pagesWithContent,
      '/dashboard/platforms',
      '/dashboard/guide',
      `/dashboard/${encodeURIComponent(hostile('page'))}`,
      scriptLink,
      `/sign-in?next=${encodeURIComponent('//evil.example')}`,
    ]
    for (const path of allPages) {
      pageErrors.length = 0
      await page.goto(path)
      await page.getByRole('main').waitFor()
      await responded()
      if (pagesWithContent.includes(path)) {
        await untilTrueInPage(page, `document.body.innerText.includes('<img src=x')`)
      }
      assert.equal(await page.evaluate('window.hacked'), undefined, path)
      const links = await page.evaluate<number>(
        `document.querySelectorAll('a[href^="javascript:" i], img[src="x"], main script').length`,
      )
      assert.equal(links, 0, path)
      assert.deepEqual(pageErrors, [], path)
      assert.ok(page.url().startsWith(hub.address))
    }
    assert.equal(dialogs, 0)
  })
})
