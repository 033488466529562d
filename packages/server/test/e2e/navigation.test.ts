/** Navigation without a reload: from each page to the others, and to all content that the pages link to. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import {
  BROWSER_TEST,
  openPage,
  shareBrowser,
  type TestPage,
  untilLoaded,
} from '../helpers/browser/browser.ts'
import { COURT_TITLE, simulateCourt } from '../helpers/browser/platforms.ts'
import { recordLinkOf, untilIndexed } from '../helpers/browser/records.ts'
import {
  newRecord,
  pullAll,
  push,
  registerPlatform,
  registerPushingPlatform,
} from '../helpers/hub/actions.ts'
import { EMAIL, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { type SimulatedPlatform, simulatedModule } from '../helpers/platform/platform.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { isDeep } from '../helpers/time/tier.ts'

/** The heading of a page, and a function that waits for its data. */
type PageContent = { heading: string | RegExp; untilShown: (page: Page) => Promise<void> }

/** The pages by their labels in the navigation. */
const PAGES = {
  Overview: {
    heading: 'Overview',
    async untilShown(page) {
      const platforms = page.getByRole('region', { name: 'Platforms', exact: true })
      await platforms.getByRole('link', { name: COURT_TITLE }).waitFor()
      const records = page.getByRole('region', { name: 'Latest records' })
      await records.getByRole('link').first().waitFor()
    },
  },
  Platforms: {
    heading: 'Platforms',
    untilShown: (page) => page.getByRole('row').getByRole('link', { name: COURT_TITLE }).waitFor(),
  },
  Records: {
    heading: 'Records',
    async untilShown(page) {
      await recordLinkOf(page, 'pushed').waitFor()
      await untilSelectable(page, COURT_TITLE)
    },
  },
  Search: {
    heading: 'Search',
    untilShown: (page) => page.getByRole('textbox', { name: 'Keyword or person' }).waitFor(),
  },
  Pulls: {
    heading: 'Pulls',
    untilShown: (page) =>
      page.getByRole('row').getByRole('link', { name: '1', exact: true }).waitFor(),
  },
  Activity: {
    heading: 'Activity',
    async untilShown(page) {
      await page.getByRole('tabpanel', { name: 'Log' }).getByRole('row').nth(1).waitFor()
      await page.getByRole('tabpanel').getByRole('link', { name: COURT_TITLE }).first().waitFor()
    },
  },
  'Integration guide': {
    heading: 'Integration guide',
    async untilShown(page) {
      await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
      await untilSelectable(page, COURT_TITLE)
    },
  },
  Settings: {
    heading: 'Settings',
    async untilShown(page) {
      await page.getByRole('heading', { name: 'Sessions' }).waitFor()
      await page.getByRole('table', { name: 'Sessions' }).getByRole('row').first().waitFor()
    },
  },
} as const satisfies Record<string, PageContent>
type Label = keyof typeof PAGES

const LABELS: readonly Label[] = [
  'Overview',
  'Platforms',
  'Records',
  'Search',
  'Pulls',
  'Activity',
  'Integration guide',
  'Settings',
]

describe('navigation without a reload', BROWSER_TEST, () => {
  const browser = shareBrowser()
  let hub: TestHub
  let court: SimulatedPlatform
  let schoolTitle: string
  before(async () => {
    hub = await startTestHub(sqliteEngine, { withOperator: true })
    court = await simulateCourt()
    const { hub_api_key } = await registerPlatform(hub, court)
    await pullAll(hub)
    const school = await registerPushingPlatform(hub, { modules: [simulatedModule('pupils')] })
    schoolTitle = school.platform.display_title
    await push(hub, hub_api_key, newRecord('pushed'))
    await push(hub, hub_api_key, newRecord('pushed', { data: { status: 'closed' } }), 'PATCH')
    await push(hub, hub_api_key, newRecord('rejected', { record_type: 'unknown' }))
    await untilIndexed(hub)
  })
  after(async () => {
    await hub[Symbol.asyncDispose]()
    await court[Symbol.asyncDispose]()
  })

  test('every page opens with its data from other pages, and in the deep tier from all other pages', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    const check = watchPage(opened)
    const [first = 'Overview', ...rest] = isDeep ? eulerianCircuit(LABELS) : roundTrip(LABELS)
    await page.goto('/dashboard')
    await untilOpen(page, first)
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link')
    assert.deepEqual(await links.allInnerTexts(), LABELS)
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
    assert.equal(visited.size, isDeep ? 56 : 14, 'ordered pairs of different pages')
  })

  test('every tab, record, pull and platform opens with its data', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    const check = watchPage(opened)
    const main = page.getByRole('main')
    const panel = (name: string) => page.getByRole('tabpanel', { name })
    /** Opens each tab, the first one last, and waits for its data. */
    async function openTabs(tabs: Record<string, () => Locator>, within = main): Promise<void> {
      const list = within.getByRole('tablist').first()
      await list.waitFor()
      const names = Object.keys(tabs)
      const labels = await list.getByRole('tab').allInnerTexts()
      assert.equal(labels.length, names.length, `${labels}`)
      for (const [name, shown] of Object.entries(tabs).toReversed()) {
        await list.getByRole('tab', { name }).click()
        await shown().first().waitFor()
        await untilLoaded(page)
        await expectNoErrorNotice(page)
        check(`the tab ${name}`)
      }
    }
    const open = async (label: Label) => {
      await navigationLink(page, label).click()
      await untilOpen(page, label)
      check(label)
    }
    await page.goto('/dashboard')
    await untilOpen(page, 'Overview')

    await open('Activity')
    await openTabs({
      Log: () => panel('Log').getByRole('row').nth(1),
      Rejected: () => panel('Rejected').getByRole('row').nth(1),
      'Push errors': () => panel('Push errors').getByText('No push errors'),
      Alerts: () => panel('Alerts').getByRole('radiogroup'),
      Missing: () => panel('Missing').getByRole('radiogroup'),
      Completeness: () => panel('Completeness').getByRole('row').filter({ hasText: 'Cases' }),
    })

    await open('Settings')
    await openTabs({
      Account: () => panel('Account').getByRole('table', { name: 'Sessions' }).getByRole('row'),
      Operators: () => panel('Operators').getByRole('row').filter({ hasText: EMAIL }),
      'API tokens': () => panel('API tokens').getByRole('heading', { name: 'API tokens' }),
      'Single sign-on': () => panel('Single sign-on').getByRole('listitem'),
      'Schedule and retention': () => panel('Schedule').getByRole('table').nth(1).getByRole('row'),
      Backups: () => panel('Backups').getByText('No backups yet'),
      'Audit log': () => panel('Audit log').getByRole('row').filter({ hasText: EMAIL }),
      About: () => panel('About').getByRole('row', { name: /SQLite/ }),
    })

    await open('Platforms')
    await main.getByRole('link', { name: schoolTitle }).click()
    await page.getByRole('heading', { level: 1, name: schoolTitle }).waitFor()
    await panel('Modules')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    await main.getByRole('link', { name: 'Platforms' }).click()
    await untilOpen(page, 'Platforms')
    await main.getByRole('link', { name: COURT_TITLE }).click()
    await page.getByRole('heading', { level: 1, name: COURT_TITLE }).waitFor()
    await openTabs({
      Modules: () => panel('Modules').getByRole('button', { name: /Cases/, expanded: true }),
      Pulls: () => panel('Pulls').getByRole('row').getByRole('link'),
      Pushes: () => panel('Pushes').getByRole('list', { name: 'Log' }).getByRole('listitem'),
      Activity: () => panel('Activity').getByRole('list', { name: 'Log' }).getByRole('listitem'),
      Settings: () => panel('Settings').getByRole('textbox', { name: 'Base URL' }),
    })

    await open('Pulls')
    await main.getByRole('row').getByRole('link', { name: '1', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Pull 1' }).waitFor()
    const modules = page.getByRole('list', { name: 'Modules of the pull' })
    await modules.getByRole('listitem').filter({ hasText: 'cases' }).waitFor()
    check('a pull')

    await open('Records')
    await recordLinkOf(page, 'pushed').click()
    const drawer = page.getByRole('dialog', { name: 'Record' })
    await openTabs(
      {
        Fields: () => drawer.getByRole('row').filter({ hasText: 'status' }),
        History: () => drawer.getByRole('row').filter({ hasText: 'closed' }),
        Raw: () => drawer.locator('pre'),
      },
      drawer,
    )
    await page.keyboard.press('Escape')
    await drawer.waitFor({ state: 'hidden' })

    await open('Search')
    await page.getByRole('textbox', { name: 'Keyword or person' }).fill('pushed')
    await page.getByRole('button', { name: 'Search', exact: true }).last().click()
    await main
      .getByRole('link', { name: /Ann Example/ })
      .first()
      .click()
    await drawer.getByRole('tab', { name: 'Fields' }).waitFor()
    check('a record in the search results')
  })

  test('opening another platform shows no state of the previous one', async () => {
    await using opened = await openPage(browser(), hub)
    const { page } = opened
    const check = watchPage(opened)
    const changes = page.getByText('The manifest has changed', { exact: true })
    await page.goto('/dashboard/platforms')
    // The cached data of this platform is shown immediately when it is opened again.
    await page.getByRole('link', { name: schoolTitle }).click()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    await navigationLink(page, 'Platforms').click()
    await page.getByRole('link', { name: COURT_TITLE }).click()
    const judge = { key: 'judge', label: 'Judge', type: 'string', required: false }
    court.modules[0]?.fields.push(judge)
    await page.getByRole('button', { name: 'Refresh manifest' }).click()
    await changes.waitFor()
    await page.keyboard.press('Control+k')
    await page.getByLabel('Pages, platforms, records').fill(schoolTitle)
    await page
      .getByRole('dialog', { name: 'Search' })
      .getByText(schoolTitle, { exact: true })
      .click()
    await page.getByRole('heading', { level: 1, name: schoolTitle }).waitFor()
    await page
      .getByRole('tabpanel')
      .getByRole('button', { name: /pupils/, expanded: true })
      .waitFor()
    assert.equal(await changes.count(), 0)
    check('another platform')
  })

  test('on a phone, a click on the current page also closes the navigation', async () => {
    await using opened = await openPage(browser(), hub, { width: 390 })
    const { page } = opened
    await page.goto('/dashboard/platforms?health=failing')
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await navigationLink(page, 'Platforms').click()
    await page.getByRole('button', { name: 'Open navigation' }).waitFor()
    await untilOpen(page, 'Platforms')
  })
})

function navigationLink(page: Page, label: Label): Locator {
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  return navigation.getByRole('link', { name: label, exact: true })
}

/** Waits until a page of the navigation is open and shows its data. */
async function untilOpen(page: Page, label: Label): Promise<void> {
  const { heading, untilShown }: PageContent = PAGES[label]
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await untilShown(page)
  await expectNoErrorNotice(page)
}

/** Asserts that the page has no error notice. Each one has the button “Try again”. */
async function expectNoErrorNotice(page: Page): Promise<void> {
  assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
}

/** Waits until a platform can be selected in the field Platform. */
async function untilSelectable(page: Page, title: string): Promise<void> {
  const field = page.getByRole('combobox', { name: 'Platform' })
  await field.click()
  await page.getByRole('option', { name: title, exact: true }).waitFor()
  await field.press('Escape')
  await page.getByRole('option', { name: title, exact: true }).waitFor({ state: 'hidden' })
}

/**
 * Watches a page; call it before the page is opened. The returned check fails if the page has logged a message, if
 * the hub has responded with an error, or if a second document was loaded.
 */
function watchPage({ page }: TestPage): (step: string) => void {
  const problems: string[] = []
  let documents = 0
  page.on('domcontentloaded', () => {
    documents += 1
  })
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`))
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('response', (response) => {
    if (response.status() >= 400) problems.push(`${response.status()} from ${response.url()}`)
  })
  return (step) => {
    assert.deepEqual(problems, [], step)
    assert.equal(documents, 1, `${step}: documents loaded`)
  }
}

/** A path through all pages in order, and back. */
function roundTrip<Item>(pages: readonly Item[]): Item[] {
  return [...pages, ...pages.slice(0, -1).toReversed()]
}

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
