/** The 24 hours before the demo starts: a hub whose clock is behind receives pushes, pulls, and meets faults. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Pull } from '@recordhub/protocol'
import type { HubDeps } from '../../app.ts'
import { sleep } from '../../lib/time/run-periodically.ts'

const HOURS = 24
/** The time between two pulls. */
const STEP_MS = 2_880_000
const STEPS = (HOURS * 3_600_000) / STEP_MS
const POLL_MS = 20

/** A clock that is 24 hours behind, and the times of the schedule and of retries that follow it. */
export function createPastTime() {
  let behindMs = (STEPS + 1) * STEP_MS
  let isPullDue = false
  const clock = { now: () => new Date(Date.now() - behindMs) }
  const time = {
    clock,
    scheduleTime: {
      clock,
      async wait(milliseconds, signal) {
        const until = clock.now().getTime() + milliseconds
        while (behindMs > 0 && !isPullDue) {
          if (!(await sleep(POLL_MS, signal))) return false
        }
        isPullDue = false
        return sleep(Math.max(0, until - clock.now().getTime()), signal)
      },
    },
    timeouts: {
      async pause(milliseconds, signal) {
        if (behindMs === 0) return sleep(milliseconds, signal)
        behindMs = Math.max(1, behindMs - milliseconds)
        return !signal.aborted
      },
    },
  } satisfies Pick<HubDeps, 'clock' | 'scheduleTime' | 'timeouts'>
  return {
    ...time,
    setBehind(milliseconds: number) {
      behindMs = milliseconds
    },
    /** Starts the scheduled pull whose time has passed. */
    pullNow() {
      isPullDue = true
    },
  }
}

type PastPlatform = {
  push: (typos?: number) => Promise<void>
  setFaults: (faults: { isDown?: boolean; unlisted?: number; doubled?: number }) => void
}

/** Lets 24 hours pass on the clock of a hub that pulls by its schedule: a pull and some pushes in each step. */
export async function playHistory(
  time: Pick<ReturnType<typeof createPastTime>, 'setBehind' | 'pullNow'>,
  platforms: Record<'hr' | 'clinic' | 'library', PastPlatform>,
  readPulls: () => Promise<Pull[]>,
): Promise<void> {
  const { hr, clinic, library } = platforms
  /** What happens after the pull of a step. */
  const events: Record<number, () => unknown> = {
    5: () => library.setFaults({ isDown: true }),
    7: () => library.setFaults({ isDown: false }),
    10: () => hr.setFaults({ doubled: 4 }),
    17: () => library.setFaults({ isDown: true }),
    18: () => library.setFaults({ isDown: false }),
    21: () => clinic.setFaults({ unlisted: 360 }),
    // The next pull that succeeds stores these records, after which a replay of the pushes changes nothing.
    29: () => {
      library.setFaults({ isDown: true })
      return library.push(12)
    },
  }
  let lastPull = 0
  for (let step = 0; step < STEPS; step++) {
    time.setBehind((STEPS - step) * STEP_MS)
    time.pullNow()
    lastPull = await untilPulled(readPulls, lastPull)
    await events[step]?.()
    for (let push = pushesAt(step); push > 0; push--) {
      time.setBehind((STEPS - step) * STEP_MS - STEP_MS / 2 - push * 60_000)
      for (const platform of Object.values(platforms)) await platform.push()
    }
  }
  time.setBehind(0)
}

/** None for some hours, so that pulls without changes follow each other. */
function pushesAt(step: number): number {
  return [1, 0, 0, 2, 3, 2, 0, 0, 0, 1][Math.floor(step / 3)] ?? 0
}

/** Waits until the schedule has started a pull after the given one, and it has ended. */
async function untilPulled(readPulls: () => Promise<Pull[]>, after: number): Promise<number> {
  for (;;) {
    const newest = (await readPulls())[0]
    if (newest && newest.id > after && newest.finished_at !== null) return newest.id
    await pause(POLL_MS)
  }
}
