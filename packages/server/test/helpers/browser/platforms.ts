/** A simulated platform for browser tests, and helpers for its pages. */
import type { Page } from 'playwright-core'
import { startTestHub, type TestHub } from '../hub/hub.ts'
import { newRecord } from '../hub/platform-requests.ts'
import {
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../platform/platform.ts'
import { sqliteEngine } from '../storage/sqlite.ts'

/** The title of the platform that {@link simulateCourt} simulates. */
export const COURT_TITLE = 'Title of court'

/** The platform `court` with the modules Cases (three records) and Visits. */
export function simulateCourt(): Promise<SimulatedPlatform> {
  const cases = simulatedModule('cases', { module_name: 'Cases' })
  cases.records.push(simulatedRecord(1), simulatedRecord(2), simulatedRecord(3))
  return simulatePlatform({
    platform_name: 'court',
    modules: [cases, simulatedModule('visits', { module_name: 'Visits' })],
  })
}

export function startHubWithOperator(): Promise<TestHub> {
  return startTestHub(sqliteEngine, { withOperator: true })
}

/** The hub API key that the page shows. */
export async function readShownKey(page: Page): Promise<string> {
  return (await page.getByLabel('Hub API key', { exact: true }).innerText()).trim()
}

/** Pushes a record with this key. @returns the status of the response. */
export async function pushStatus(hub: TestHub, key: string, reference: string): Promise<number> {
  return (await hub.push(key, newRecord(reference))).status
}
