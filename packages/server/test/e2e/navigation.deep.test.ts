/** Navigation without a reload: from each page to the others, to another platform, and on a phone. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  BROWSER_TEST,
  expectAccessible,
  openPage,
  untilTrueInPage,
} from '../helpers/browser/browser.ts'
import {
  LABELS,
  navigationLink,
  shareFilledHub,
  untilOpen,
  watchPage,
} from '../helpers/browser/navigation.ts'
import { COURT_TITLE, simulateCourt } from '../helpers/browser/platforms.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { respond } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'

describe('navigation without a reload', BROWSER_TEST, () => {
  const filled = shareFilledHub()

  test('every page opens with its data from all other pages', async () => {
    const opened = await openPage(filled().hub)
    const { page } = opened
    const check = watchPage(opened)
    const [first = 'Overview', ...rest] = eulerianCircuit(LABELS)
    await page.goto('/dashboard')
    await untilOpen(page, first)
    const visited = new Set<string>()
    let from = first
    for (const to of rest) {
      await navigationLink(page, to).click()
      await untilOpen(page, to)
      check(`${from} → ${to}`)
      visited.add(`${from} → ${to}`)
      from = to
    }
    assert.equal(from, first)
    assert.equal(visited.size, rest.length, 'no link is followed twice')
    assert.equal(visited.size, 72, 'ordered pairs of different pages')
  })

  test('opening another platform shows no state of the previous one', async () => {
    const opened = await openPage(filled().hub)
    const { page } = opened
    const check = watchPage(opened)
    const changes = page.getByText('The manifest has changed', { exact: true })
    await page.goto('/dashboard/platforms')
    // The cached data of this platform is shown immediately when it is opened again.
    await page.getByRole('link', { name: filled().schoolTitle }).click()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    await navigationLink(page, 'Platforms').click()
    await page.getByRole('link', { name: COURT_TITLE }).click()
    const judge = { key: 'judge', label: 'Judge', type: 'string', required: false }
    filled().court.modules[0]?.fields.push(judge)
    await page.getByRole('button', { name: 'Refresh manifest' }).click()
    await changes.waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Pages, platforms, records').fill(filled().schoolTitle)
    await page
      .getByRole('dialog', { name: 'Search' })
      .getByText(filled().schoolTitle, { exact: true })
      .click()
    await page.getByRole('heading', { level: 1, name: filled().schoolTitle }).waitFor()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    assert.equal(await changes.count(), 0)
    check('another platform')
  })

  test('on a phone, a click on the current page also closes the navigation', async () => {
    const { page } = await openPage(filled().hub, { width: 390 })
    await page.goto('/dashboard/platforms?health=failing')
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await navigationLink(page, 'Platforms').click()
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
    await untilOpen(page, 'Platforms')
  })

  test('the search and the account menu are accessible on every page', async () => {
    const { page } = await openPage(filled().hub)
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await page.keyboard.press('Control+k')
    const palette = page.getByRole('dialog', { name: 'Search' })
    await palette.waitFor()
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'hidden' })
    await page.keyboard.press('?')
    const keys = page.getByRole('dialog', { name: 'Keys' })
    await keys.getByText('Acknowledge the item').waitFor()
    for (const what of ['next or previous row', 'new tab', 'search field']) {
      await keys.getByRole('row').filter({ hasText: what }).waitFor()
    }
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Escape')
    await keys.waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: 'Your account' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    await expectAccessible(page, { within: 'menu' })
  })

  test('on the page of the search, the key of the search leads to its field', async () => {
    const { page } = await openPage(filled().hub)
    await page.goto('/dashboard/search?query=nothing')
    await page.getByText('No results').waitFor()
    const palette = page.getByRole('dialog', { name: 'Search' })
    // Once loaded, the palette opens before the next key.
    await page.keyboard.press('Control+k')
    await palette.waitFor()
    await page.keyboard.press('Escape')
    await palette.waitFor({ state: 'hidden' })
    await page.keyboard.press('/')
    await untilTrueInPage(page, "document.activeElement?.ariaLabel === 'Keyword or person'")
    assert.equal(await palette.count(), 0)
    await navigationLink(page, 'Platforms').click()
    await untilOpen(page, 'Platforms')
    await page.keyboard.press('/')
    await palette.waitFor()
  })

  test('the Tab key skips the navigation in one step and is never trapped', async () => {
    const { page } = await openPage(filled().hub)
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await untilTrueInPage(page, `document.activeElement?.id === 'main'`)
    const seen = new Set<unknown>()
    const FOCUSED = `(() => { const one = document.activeElement; one.dataset.seen ??= String(window.count = (window.count ?? 0) + 1); return one.dataset.seen })()`
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Tab')
      seen.add(await page.evaluate(FOCUSED))
    }
    assert.equal(seen.size, 12)
  })

  test('the palette runs the first command that is found, remembers it, and offers only what the role may do', async () => {
    const { hub, schoolTitle } = filled()
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    const palette = page.getByRole('dialog', { name: 'Search' })
    const input = palette.getByLabel('Commands, pages, platforms, records')
    const selected = palette.getByRole('option', { selected: true })
    await page.keyboard.press('Control+k')
    await input.fill(`pull ${schoolTitle.slice(0, 12)}`)
    await selected.getByText(`Pull ${schoolTitle} now`).waitFor()
    await expectAccessible(page, { within: 'dialog' })
    await page.keyboard.press('Enter')
    await page.getByText(`The pull of ${schoolTitle} has started`).waitFor()
    await page.keyboard.press('Control+k')
    await selected.getByText(`Pull ${schoolTitle} now`).waitFor()
    await input.fill('theme dark')
    await selected.getByText('Theme: dark').waitFor()
    await page.keyboard.press('Enter')
    await untilTrueInPage(page, `document.documentElement.dataset.mantineColorScheme === 'dark'`)

    const viewer = await hub.createOperator({ role: 'viewer' })
    const { page: other } = await openPage(hub, { operator: viewer })
    await other.goto('/dashboard/guide')
    await other.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    await other.keyboard.press('Control+k')
    const options = other.getByRole('dialog', { name: 'Search' }).getByRole('option')
    await options.filter({ hasText: 'Theme' }).first().waitFor()
    assert.equal(await options.filter({ hasText: /^(Pull |Register)/ }).count(), 0)
  })

  test('the palette pauses the schedule, tests a connection and opens a saved view', async () => {
    await using hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      env: { HUB_PULL_SCHEDULE: '0 0 1 1 *' },
    })
    await using platform = await simulateCourt()
    await hub.register(platform)
    const query = 'platform=court&record_type=cases'
    await hub.request('POST', '/api/v1/views', { name: 'Open cases', query, shared: true })
    const { page } = await openPage(hub)
    await page.goto('/dashboard/guide')
    await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
    const palette = page.getByRole('dialog', { name: 'Search' })
    const run = async (text: string, label: string) => {
      await page.keyboard.press('Control+k')
      await palette.getByLabel('Commands, pages, platforms, records').fill(text)
      await palette.getByRole('option', { selected: true }).getByText(label).waitFor()
      await page.keyboard.press('Enter')
    }
    await run('pause', 'Pause the schedule')
    await page.getByText('The schedule is paused').waitFor()
    await run('resume', 'Resume the schedule')
    await page.getByText('The schedule is resumed').waitFor()
    await run(`test ${COURT_TITLE.slice(0, 5)}`, `Test the connection of ${COURT_TITLE}`)
    await page.getByText(`The connection of ${COURT_TITLE} works`).waitFor()
    platform.setResponse('manifest', respond.status(500))
    await run(`test ${COURT_TITLE.slice(0, 5)}`, `Test the connection of ${COURT_TITLE}`)
    await page.getByText(new RegExp(`^${COURT_TITLE}: .*500`)).waitFor()
    await run('open cases', 'Open cases')
    await page.waitForURL(`**/dashboard/records?${query}`)
    // The keys work in a text field, too, and the search begins without the former text.
    await page.getByRole('textbox', { name: 'Search' }).focus()
    await run('', 'Open cases')
  })
})

/**
 * A path that starts and ends at the first page and goes from each page to each other page exactly once (an Eulerian
 * circuit).
 */
function eulerianCircuit<Item>([first, second, ...others]: readonly Item[]): Item[] {
  if (first === undefined) return []
  if (second === undefined) return [first]
  const excursions = others.flatMap((other) => [other, first])
  return [first, ...excursions, ...eulerianCircuit([second, ...others]), first]
}
