/** Checks whether a platform conforms to the interface specification. */
export { type CheckRequest, checkPlatform, type OnModule } from './check-platform.ts'
export { ReadComparison } from './compare-reads.ts'
export { Findings } from './findings.ts'
export type {
  CheckClient,
  CheckTarget,
  Hub,
  HubRules,
  PlatformError,
  RecordsPage,
  Retry,
} from './hub.ts'
export type { FaultLimits } from './pushes/fault-injector.ts'
export type { ObservedPush, PushValidator } from './pushes/validate-pushes.ts'
export { checkPushes, type PushCheck, type TestReceiver } from './pushes/validate-pushes.ts'
export { formatEndpoint, formatSummary, withPushes } from './report.ts'
export { reportHtml } from './report-html.ts'
export { RULES, type RuleId } from './rules/rules.ts'
export type { CheckedModule } from './validate-manifest.ts'
export { validateSpeed } from './validate-records-response.ts'
