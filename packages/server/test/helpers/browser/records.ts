/** A hub with a module of 120 records for tests of the record pages. */
import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Page } from 'playwright-core'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { startTestHub, type TestHub, type TestHubOptions } from '../hub/hub.ts'
import { newRecord } from '../hub/platform-requests.ts'
import { simulatedModule } from '../platform/platform.ts'
import { sqliteEngine } from '../storage/sqlite.ts'
import { until } from '../time/until.ts'

const FIELDS = [
  { key: 'status', label: 'Status', type: 'string', required: false },
  { key: 'amount', label: 'Amount', type: 'decimal', required: false },
  { key: 'note', label: 'Note', type: 'string', required: false },
]
const COUNT = 120

export type CasesHub = {
  hub: TestHub
  hub_api_key: string
  platform: string
  /** The address of the page of the module, with additional parameters. */
  address: (query?: Record<string, string>) => string
}

/**
 * A hub with the records C-001 to C-120, which the tests of a `describe` share. Every third record is closed; the
 * amount is the number of the record.
 */
export function shareCasesHub(options: TestHubOptions = {}): () => CasesHub {
  let cases: CasesHub | null = null
  before(async () => {
    const { wrap = (storage) => storage } = options
    const withoutLimit = (storage: Storage) => wrap(listWithoutLimit(storage))
    const hub = await startTestHub(sqliteEngine, {
      withOperator: true,
      ...options,
      wrap: withoutLimit,
    })
    const modules = [{ ...simulatedModule('cases'), fields: FIELDS }]
    const { hub_api_key, platform_name: platform } = await hub.registerPushing({ modules })
    for (let index = 1; index <= COUNT; index++) {
      const number = String(index).padStart(3, '0')
      const data = { status: index % 3 === 0 ? 'closed' : 'open', amount: index, note: null }
      const full_name = `Person ${number}`
      await hub.push(hub_api_key, newRecord(`C-${number}`, { full_name, data }))
    }
    await untilIndexed(hub)
    const address = (query: Record<string, string> = {}) =>
      `/dashboard/records?${new URLSearchParams({ platform, record_type: 'cases', ...query })}`
    cases = { hub, hub_api_key, platform, address }
  })
  after(async () => cases?.hub[Symbol.asyncDispose]())
  return () => {
    assert.ok(cases)
    return cases
  }
}

/** Gives lists a time limit that they do not reach even on a slow machine. */
function listWithoutLimit(storage: Storage): Storage {
  const { records } = storage
  const scan_ms = 3_600_000
  return {
    ...storage,
    records: { ...records, listRecords: (query) => records.listRecords({ ...query, scan_ms }) },
  }
}

export async function untilIndexed(hub: TestHub): Promise<void> {
  await until(async () => {
    const { lag } = JSON.parse((await hub.get('/api/v1/search/status')).text)
    return lag === 0 ? true : null
  }, 'the index contains all records')
}

/** The parameters of the page's URL. */
export async function parametersOf(page: Page): Promise<URLSearchParams> {
  return new URLSearchParams(await page.evaluate<string>('location.search'))
}

/** The link to a record in the list. */
export function recordLinkOf(page: Page, reference: string) {
  return page.getByRole('link', { name: reference, exact: true })
}

/** The texts of the column headers, from the left. */
export async function columnHeadersOf(page: Page): Promise<string[]> {
  const buttons = await page.getByRole('columnheader').getByRole('button').all()
  return Promise.all(buttons.map(async (button) => (await button.getAttribute('aria-label')) ?? ''))
}

/** The reference numbers of the rows, from the top. */
export async function referencesOf(page: Page): Promise<string[]> {
  return (await page.getByRole('row').getByRole('link').allInnerTexts()).map((text) => text.trim())
}

/** The records that the API lists for the query in the page's URL. */
export async function listRecordsFor(page: Page): Promise<string[]> {
  const response = await page.request.get(`/api/v1/records?${await parametersOf(page)}`)
  const { records }: { records: { reference_number: string }[] } = await response.json()
  return records.map((record) => record.reference_number)
}
