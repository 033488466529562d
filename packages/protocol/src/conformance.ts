/** The results of the conformance check: `recordhub check-platform` and *Check conformance*. */
import Type, { type Static } from 'typebox'
import { described, NullableInteger, NullableString, OneOf, Timestamp } from './common.ts'

/** One occurrence of a finding. */
export const FindingExample = Type.Object({
  element: described(
    NullableInteger,
    'The position of the element in `records` over all pages, or of the push, from 1',
  ),
  reference: NullableString,
  found: Type.String({ description: 'The value found; empty if the message contains it' }),
})

export const Finding = Type.Object({
  rule: Type.String({ description: 'One of docs/conformance.md' }),
  severity: OneOf('error', 'warning', 'note'),
  field: described(NullableString, 'The member or field'),
  message: Type.String(),
  advice: Type.String(),
  section: Type.String({ description: 'The heading in the integration guide' }),
  count: Type.Integer({ description: 'The number of occurrences' }),
  examples: Type.Array(FindingExample, { description: 'The first occurrences' }),
})

/** One endpoint of a platform, or its pushes. */
export const CheckedEndpoint = Type.Object({
  endpoint: Type.String({
    description: '`connection`, `ping`, `manifest`, `records/<record_type>`, `search` or `push`',
  }),
  title: Type.String(),
  records: NullableInteger,
  bytes: NullableInteger,
  took_ms: described(NullableInteger, 'The duration of the first complete response'),
  passed: Type.Array(Type.String(), { description: 'The checks that passed' }),
  findings: Type.Array(Finding),
})

export const ConformanceReport = Type.Object({
  success: Type.Boolean({ description: 'Whether there are no errors' }),
  reached: Type.Boolean({ description: 'Whether the platform could be reached at all' }),
  complete: Type.Boolean({ description: 'Whether everything was read without reaching a limit' }),
  checked_at: Timestamp,
  recordhub_version: Type.String(),
  source_base_url: Type.String(),
  platform_name: NullableString,
  platform_title: NullableString,
  errors: Type.Integer(),
  warnings: Type.Integer(),
  notes: Type.Integer(),
  endpoints: Type.Array(CheckedEndpoint),
})

/** `success` is true when there are no errors. */
export const ConformanceResponse = Type.Object({
  success: Type.Boolean(),
  report: ConformanceReport,
  html: Type.String({ description: 'The report as one HTML file' }),
})

/** A line of a running check. A finding may be repeated at the end of its endpoint with its final count. */
export const ConformanceLine = Type.Union([
  Type.Object({ kind: Type.Literal('checking'), endpoint: Type.String(), title: Type.String() }),
  Type.Object({ kind: Type.Literal('finding'), endpoint: Type.String(), finding: Finding }),
  Type.Object({
    kind: Type.Literal('progress'),
    endpoint: Type.String(),
    records: Type.Integer(),
    bytes: Type.Integer(),
  }),
  Type.Object({ kind: Type.Literal('endpoint'), checked: CheckedEndpoint }),
  Type.Object({ kind: Type.Literal('report'), ...ConformanceResponse.properties }),
])

export type FindingExample = Static<typeof FindingExample>
export type Finding = Static<typeof Finding>
export type CheckedEndpoint = Static<typeof CheckedEndpoint>
export type ConformanceReport = Static<typeof ConformanceReport>
export type ConformanceResponse = Static<typeof ConformanceResponse>
export type ConformanceLine = Static<typeof ConformanceLine>
