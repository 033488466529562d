/** A hub with content on every page, and the content of the pages of the navigation. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { startTestHub, type TestHub } from '../hub/hub.ts'
import { newRecord } from '../hub/platform-requests.ts'
import { type SimulatedPlatform, simulatedModule } from '../platform/platform.ts'
import { sqliteEngine } from '../storage/sqlite.ts'
import { OVERVIEW_TITLE, type TestPage } from './browser.ts'
import { COURT_TITLE, simulateCourt } from './platforms.ts'
import { recordLinkOf, untilIndexed } from './records.ts'

/** The heading of a page, and a function that waits for its data. */
type PageContent = { heading: string | RegExp; untilShown: (page: Page) => Promise<void> }

/** The pages by their labels in the navigation. */
const PAGES = {
  Overview: {
    heading: OVERVIEW_TITLE,
    async untilShown(page) {
      const platforms = page.getByRole('region', { name: 'Platforms', exact: true })
      await platforms.getByRole('link', { name: COURT_TITLE }).waitFor()
    },
  },
  Inbox: {
    heading: 'Inbox',
    untilShown: (page) => page.getByRole('region', { name: 'Items' }).waitFor(),
  },
  Platforms: {
    heading: 'Platforms',
    untilShown: (page) => page.getByRole('row').getByRole('link', { name: COURT_TITLE }).waitFor(),
  },
  Records: {
    heading: 'Module: Records',
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
  Log: {
    heading: 'Log',
    async untilShown(page) {
      await page.getByRole('row').nth(1).waitFor()
      await page.getByRole('row').getByRole('link', { name: COURT_TITLE }).first().waitFor()
    },
  },
  'Integration guide': {
    heading: 'Connect your platform',
    async untilShown(page) {
      await page.getByRole('heading', { name: 'Errors', exact: true }).waitFor()
      await untilSelectable(page, COURT_TITLE)
    },
  },
  Settings: {
    heading: 'Account',
    untilShown: (page) => page.getByText('Another admin can change your role.').waitFor(),
  },
} as const satisfies Record<string, PageContent>
export type Label = keyof typeof PAGES

export const LABELS: readonly Label[] = [
  'Overview',
  'Inbox',
  'Platforms',
  'Records',
  'Search',
  'Pulls',
  'Log',
  'Integration guide',
  'Settings',
]

export type FilledHub = { hub: TestHub; court: SimulatedPlatform; schoolTitle: string }

let filling: Promise<FilledHub> | null = null
after(async () => {
  const filled = await filling
  await filled?.hub[Symbol.asyncDispose]()
  await filled?.court[Symbol.asyncDispose]()
})

async function startFilledHub(): Promise<FilledHub> {
  const hub = await startTestHub(sqliteEngine, { withOperator: true })
  const court = await simulateCourt()
  const { hub_api_key } = await hub.register(court)
  await hub.pullAll()
  const school = await hub.registerPushing({ modules: [simulatedModule('pupils')] })
  await hub.push(hub_api_key, newRecord('pushed'))
  await hub.push(hub_api_key, newRecord('pushed', { data: { status: 'closed' } }), 'PATCH')
  await hub.push(hub_api_key, newRecord('rejected', { record_type: 'unknown' }))
  await untilIndexed(hub)
  return { hub, court, schoolTitle: school.platform.display_title }
}

/**
 * A hub with two platforms, a pull, records, changes, a rejected push and log entries, which all tests of the process
 * share.
 */
export function shareFilledHub(): () => FilledHub {
  let filled: FilledHub | null = null
  before(async () => {
    filling ??= startFilledHub()
    filled = await filling
  })
  return () => {
    assert.ok(filled)
    return filled
  }
}

export function navigationLink(page: Page, label: Label): Locator {
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  // The link of the inbox also has the number of its items.
  return navigation.getByRole('link', { name: new RegExp(`^${label}\\b`) })
}

/** Waits until a page of the navigation is open and shows its data. */
export async function untilOpen(page: Page, label: Label): Promise<void> {
  const { heading, untilShown }: PageContent = PAGES[label]
  await page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  await untilShown(page)
  await expectNoErrorNotice(page)
}

/** Asserts that the page has no error notice. Each one has the button “Try again”. */
export async function expectNoErrorNotice(page: Page): Promise<void> {
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
export function watchPage({ page }: TestPage): (step: string) => void {
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
