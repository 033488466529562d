/** Validates a records response apart from its records (specification 2.5 and 4.2). */
import type { Findings } from './findings.ts'
import { formatBytes } from './report.ts'

type Envelope = Readonly<Record<string, unknown>>

/** Validates the members outside of `records` that the hub does not reject. */
export function validateEnvelope(
  envelope: Envelope,
  expected: { module_name: string },
  findings: Findings,
): void {
  for (const member of ['platform_name', 'module_name', 'record_type', 'total']) {
    if (Object.hasOwn(envelope, member)) continue
    findings.add('records.member_missing', { field: member, params: { member } })
  }
  const { module_name, total } = envelope
  if (typeof module_name === 'string' && module_name !== expected.module_name) {
    const params = {
      member: 'module_name',
      got: quote(module_name),
      expected: quote(expected.module_name),
    }
    findings.add('records.member_differs', { field: 'module_name', params })
  }
  const isCount = typeof total === 'number' && Number.isSafeInteger(total) && total >= 0
  if (Object.hasOwn(envelope, 'total') && !isCount) {
    findings.add('records.total_unreadable', { field: 'total', params: { got: quote(total) } })
  }
}

function quote(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 100) ?? 'missing'
}

/** Platforms may build arrays slowly. A later first byte is a finding. */
const SLOW_START_SECONDS = 30
/** At a lower rate, a million records take longer than the time limit of a pull. */
const MIN_RECORDS_PER_SECOND = 1000
/** The rate of a shorter read is not significant. */
const MIN_SECONDS_FOR_RATE = 5
const LARGE_MEGABYTES = 100
const MIN_BYTES_FOR_ETAG = 5_000_000

/** Checks whether a module is read fast enough for pulls. */
export function validateSpeed(
  findings: Findings,
  read: {
    records: number
    bytes: number
    start_ms: number
    took_ms: number
    /** Whether the response has an ETag or Last-Modified. */
    hasValidators: boolean
  },
): void {
  const seconds = Math.round(read.start_ms / 1000)
  if (seconds > SLOW_START_SECONDS) findings.add('records.slow_start', { params: { seconds } })
  const rate = Math.round(read.records / (read.took_ms / 1000))
  if (read.took_ms > MIN_SECONDS_FOR_RATE * 1000 && rate < MIN_RECORDS_PER_SECOND) {
    findings.add('records.slow', { params: { rate } })
  }
  const megabytes = Math.round(read.bytes / 1024 / 1024)
  if (megabytes > LARGE_MEGABYTES) findings.add('records.large_response', { params: { megabytes } })
  if (!read.hasValidators && read.bytes >= MIN_BYTES_FOR_ETAG) {
    findings.add('records.etag_missing', { params: { size: formatBytes(read.bytes) } })
  }
}
