/** Reports: their counts, and their text for a terminal. */
import type { CheckedEndpoint, ConformanceReport, Finding } from '@recordhub/protocol'

type Uncounted = Omit<ConformanceReport, 'success' | 'errors' | 'warnings' | 'notes'>

/** Creates a report with the counts of its findings. */
export function createReport(report: Uncounted): ConformanceReport {
  const findings = report.endpoints.flatMap((endpoint) => endpoint.findings)
  const countOf = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  const errors = countOf('error')
  const counts = { errors, warnings: countOf('warning'), notes: countOf('note') }
  return { ...report, ...counts, success: errors === 0 }
}

/** Adds the result of the pushes to a report. */
export function withPushes(report: ConformanceReport, checked: CheckedEndpoint): ConformanceReport {
  const isComplete = checked.findings.every(({ rule }) => rule !== 'push.not_seen')
  const endpoints = [...report.endpoints, checked]
  return createReport({ ...report, complete: report.complete && isComplete, endpoints })
}

const SEVERITY_LABELS = { error: 'ERROR', warning: 'warning', note: 'note' } as const

/** Formats the result of an endpoint as lines of text. */
export function formatEndpoint(checked: CheckedEndpoint): string {
  const lines = [
    `${checked.title}${formatMeasurements(checked)}`,
    ...checked.passed.map((message) => `  ok       ${message}`),
    ...checked.findings.flatMap(formatFinding),
  ]
  return `${lines.join('\n')}\n`
}

/** Formats the verdict and the counts on one line. */
export function formatSummary(report: ConformanceReport): string {
  return `${formatVerdict(report)} ${formatCounts(report)}.`
}

export function formatVerdict({ reached, success, complete }: ConformanceReport): string {
  if (!reached) return 'The platform could not be reached.'
  if (!success) return 'The platform does not conform yet.'
  return complete ? 'The platform conforms.' : 'The platform conforms, as far as it was checked.'
}

export function formatCounts({ errors, warnings, notes }: ConformanceReport): string {
  return [
    formatCount(errors, 'error'),
    formatCount(warnings, 'warning'),
    formatCount(notes, 'note'),
  ].join(', ')
}

/** Formats the measurements, such as ": 1,200 records, 340 kB, 1.2 s, 1,000 records/s"; empty without any. */
export function formatMeasurements({ records, bytes, took_ms }: CheckedEndpoint): string {
  const rate =
    records !== null && took_ms !== null && took_ms >= 1000 ? records / (took_ms / 1000) : null
  const measurements = [
    records === null ? '' : formatCount(records, 'record'),
    bytes === null ? '' : formatBytes(bytes),
    took_ms === null ? '' : took_ms < 1000 ? `${took_ms} ms` : `${(took_ms / 1000).toFixed(1)} s`,
    rate === null ? '' : `${formatNumber(Math.round(rate))} records/s`,
  ].filter((text) => text !== '')
  return measurements.length === 0 ? '' : `: ${measurements.join(', ')}`
}

/** Formats the count and the examples: "12 times, such as no. 4 (E-4) a number; …"; empty for one without position. */
export function formatExamples({ count, examples }: Finding): string {
  const positions = examples.map(({ element, reference, found }) =>
    [element === null ? '' : `no. ${element}`, reference === null ? '' : `(${reference})`, found]
      .filter((part) => part !== '')
      .join(' '),
  )
  const times = `${formatNumber(count)} times`
  if (positions.length === 0) return count > 1 ? times : ''
  const isMore = count > Math.max(examples.length, 1)
  return (isMore ? `${times}, such as ` : '') + positions.join('; ')
}

function formatFinding(finding: Finding): string[] {
  const { severity, message, advice, rule, section } = finding
  const indent = ' '.repeat(11)
  const examples = formatExamples(finding)
  return [
    `  ${SEVERITY_LABELS[severity].padEnd(8)} ${message} [${rule}; guide: ${section}]`,
    ...(examples === '' ? [] : [`${indent}${examples}`]),
    ...(advice === '' ? [] : [`${indent}→ ${advice}`]),
  ]
}

function formatCount(count: number, noun: string): string {
  return `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US')
}

export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`
}
