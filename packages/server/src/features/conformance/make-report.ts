import type { CheckedEndpoint, ConformanceReport, Finding } from '@recordhub/protocol'

export function makeReport(of: {
  checkedAt: Date
  version: string
  sourceBaseUrl: string
  platformName: string | null
  platformTitle: string | null
  isReached: boolean
  isComplete: boolean
  endpoints: CheckedEndpoint[]
}): ConformanceReport {
  const findings = of.endpoints.flatMap((endpoint) => endpoint.findings)
  const countOf = (severity: Finding['severity']) =>
    findings.filter((finding) => finding.severity === severity).length
  const errors = countOf('error')
  return {
    success: errors === 0,
    reached: of.isReached,
    complete: of.isComplete,
    checked_at: of.checkedAt.toISOString(),
    recordhub_version: of.version,
    source_base_url: of.sourceBaseUrl,
    platform_name: of.platformName,
    platform_title: of.platformTitle,
    errors,
    warnings: countOf('warning'),
    notes: countOf('note'),
    endpoints: of.endpoints,
  }
}
