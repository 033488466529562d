/** Whether the clocks agree with each other and with what was written last. */
import type { DiagnosticsStore } from '../../../storage/port/diagnostics-store.ts'
import { type Finding, info, problem } from './finding.ts'

const MAX_DIFFERENCE_MS = 5000
/** A write may have been committed while this check ran. */
const MAX_FUTURE_MS = 60_000
const SYNCHRONIZE = 'Synchronize the clocks with NTP (timedatectl set-ntp true).'

export async function checkClock(database: DiagnosticsStore): Promise<Finding[]> {
  const sentAt = Date.now()
  const { now } = await database.readServer()
  const difference = Date.parse(now) - (sentAt + Date.now()) / 2
  return describeClocks({
    difference,
    databaseTime: new Date(now),
    lastWritten: await database.readLastWritten(),
  })
}

/** @param facts `difference` is how many milliseconds the clock of the database is ahead of this machine's. */
export function describeClocks(facts: {
  difference: number
  databaseTime: Date
  lastWritten: string | null
}): Finding[] {
  const { difference, databaseTime, lastWritten } = facts
  const seconds = Math.round(Math.abs(difference) / 1000)
  const findings: Finding[] = []
  if (Math.abs(difference) > MAX_DIFFERENCE_MS) {
    const direction = difference > 0 ? 'behind' : 'ahead of'
    const message = `The clock of this machine is ${seconds} s ${direction} that of the database server.`
    findings.push(problem(message, SYNCHRONIZE))
  }
  if (lastWritten !== null && Date.parse(lastWritten) - databaseTime.getTime() > MAX_FUTURE_MS) {
    const message = `The last write was at ${lastWritten}, but it is only ${databaseTime.toISOString()}: the clock was moved back.`
    findings.push(problem(message, `${SYNCHRONIZE} Until then, times in the hub are wrong.`))
  }
  return findings.length > 0 ? findings : [info(`It is ${databaseTime.toISOString()}`)]
}
