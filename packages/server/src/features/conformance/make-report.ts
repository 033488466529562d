import type { CheckedEndpoint, ConformanceReport, Finding } from '@recordhub/protocol'

type Told = Omit<ConformanceReport, 'success' | 'errors' | 'warnings' | 'notes'>

/** A report with its findings counted. */
export function makeReport(told: Told): ConformanceReport {
  const findings = told.endpoints.flatMap((endpoint) => endpoint.findings)
  const countOf = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  const errors = countOf('error')
  const counts = { errors, warnings: countOf('warning'), notes: countOf('note') }
  return { ...told, ...counts, success: errors === 0 }
}

/** The report with what its pushes were like. */
export function withPushes(report: ConformanceReport, checked: CheckedEndpoint): ConformanceReport {
  const isWhole = checked.findings.every(({ rule }) => rule !== 'push.not_seen')
  const endpoints = [...report.endpoints, checked]
  return makeReport({ ...report, complete: report.complete && isWhole, endpoints })
}
