import type { Findings } from './findings.ts'

/** Platforms build arrays slowly; a person who waits has given up by then. */
const SLOW_START_SECONDS = 30
/** Below this rate, a million records take longer than a pull may. */
const SLOW_RATE = 1000
/** A short read says little of the rate. */
const RATE_FROM_SECONDS = 5
const LARGE_MEGABYTES = 100

/** Whether a module is read as quickly as pulls need it. */
export function judgePace(
  findings: Findings,
  read: { records: number; bytes: number; start_ms: number; took_ms: number },
): void {
  const seconds = Math.round(read.start_ms / 1000)
  if (seconds > SLOW_START_SECONDS) findings.add('records.slow_start', { params: { seconds } })
  const rate = Math.round(read.records / (read.took_ms / 1000))
  if (read.took_ms > RATE_FROM_SECONDS * 1000 && rate < SLOW_RATE) {
    findings.add('records.slow', { params: { rate } })
  }
  const megabytes = Math.round(read.bytes / 1024 / 1024)
  if (megabytes > LARGE_MEGABYTES) findings.add('records.large_answer', { params: { megabytes } })
}
