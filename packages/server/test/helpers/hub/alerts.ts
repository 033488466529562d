/** Alerts of a hub, and the states that raise them. */
import { type Alert, AlertPage } from '@recordhub/protocol'
import { TestClock } from '../storage/engine.ts'
import { runSql } from '../storage/sql.ts'
import { until } from '../time/until.ts'
import { activityOf } from './actions.ts'
import type { TestHub } from './hub.ts'
import { expectBody } from './response.ts'

/** Evaluates alerts continuously. */
export const CONTINUOUS_ALERTS = { alerts: 1 }

/** A clock that is stopped at the current time, at which the tokens of tests are valid. */
export function createStoppedClock(): TestClock {
  const clock = new TestClock()
  clock.set(new Date().toISOString())
  return clock
}

export async function alertsOf(hub: TestHub, query = ''): Promise<Alert[]> {
  return expectBody(await hub.get(`/api/v1/alerts?limit=500${query}`), 200, AlertPage).alerts
}

/** Waits for this number of open alerts of a kind, and returns them. */
export function untilAlertsOpen(hub: TestHub, kind: Alert['kind'], count = 1): Promise<Alert[]> {
  return until(async () => {
    const open = (await alertsOf(hub, '&state=open')).filter((alert) => alert.kind === kind)
    return open.length === count ? open : null
  }, `${count} alerts ${kind} are open`)
}

/** The kinds of the activity entries about alerts, oldest first. */
export async function alertActivityKinds(hub: TestHub): Promise<string[]> {
  const entries = (await activityOf(hub)).filter(({ kind }) => kind.startsWith('alert.'))
  return entries.map(({ kind }) => kind).reverse()
}

/** Sets the number of consecutive failed pulls of all platforms; 0 makes them healthy. */
export async function setPullFailures(hub: TestHub, pulls: number): Promise<void> {
  const since = pulls === 0 ? 'NULL' : "'2026-01-01T08:00:00.000Z'"
  const error = pulls === 0 ? 'NULL' : "'The platform cannot be reached.'"
  await runSql(
    hub.storage,
    `UPDATE platforms SET failures_in_row = ${pulls}, failing_since = ${since}, last_error = ${error}`,
  )
}
