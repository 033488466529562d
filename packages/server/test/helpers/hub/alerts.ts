/** What the tests of alerts share. */
import { TestClock } from '../storage/engine.ts'

/** Evaluates alerts continuously, with pauses in which other work proceeds. */
export const CONTINUOUS_ALERTS = { alerts: 25 }

/** A clock that is stopped at the current time. */
export function createStoppedClock(): TestClock {
  const clock = new TestClock()
  clock.set(new Date().toISOString())
  return clock
}
