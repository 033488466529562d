/** What the tests of alerts share. */
import type { Alert } from '@recordhub/protocol'
import { TestClock } from '../storage/engine.ts'
import type { TestHub } from './hub.ts'

/** Evaluates alerts continuously, but leaves processor time to the rest of the hub. */
export const CONTINUOUS_ALERTS = { alerts: 20 }

/** A clock that is stopped at the current time, at which the tokens of tests are valid. */
export function createStoppedClock(): TestClock {
  const clock = new TestClock()
  clock.set(new Date().toISOString())
  return clock
}

export const setPullFailures = (hub: TestHub, pulls: number) => hub.setPullFailures(pulls)
export const untilAlertsOpen = (hub: TestHub, kind: Alert['kind'], count?: number) =>
  hub.untilAlertsOpen(kind, count)
