/** What the tests of alerts share. */
import type { Alert } from '@recordhub/protocol'
import { TestClock } from '../storage/engine.ts'
import type { TestHub } from './hub.ts'

/** Evaluates alerts continuously, with pauses in which other work proceeds. */
export const CONTINUOUS_ALERTS = { alerts: 25 }

/** A clock that is stopped at the current time, at which the tokens of tests are valid. */
export function createStoppedClock(): TestClock {
  const clock = new TestClock()
  clock.set(new Date().toISOString())
  return clock
}

export const setPullFailures = (hub: TestHub, pulls: number) => hub.setPullFailures(pulls)
export const untilAlertsOpen = (hub: TestHub, kind: Alert['kind'], count?: number) =>
  hub.untilAlertsOpen(kind, count)
