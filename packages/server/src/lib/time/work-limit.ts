/** A limit of the time that work on one request may take. */
export type WorkLimit = { isOver: () => boolean }

/** The time that work may take if it mostly waits: for the disk, the database, or a processor that other programs use. */
const WAITING = 10

/**
 * Starts a limit of `ms` milliseconds. While the process uses less processor time than that, the work may take ten times as
 * long: it is not slow, the machine is busy.
 */
export function limitWork(ms: number): WorkLimit {
  const begun = performance.now()
  const used = process.cpuUsage()
  return {
    isOver() {
      const passed = performance.now() - begun
      if (passed < ms) return false
      return passed >= WAITING * ms || processorMs(process.cpuUsage(used)) >= ms
    },
  }
}

function processorMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000
}
