/** What a check of a whole platform finds: `recordhub check-platform`, and the same in the page. */
import Type, { type Static } from 'typebox'
import { NullableInteger, NullableString, OneOf, Timestamp } from './common.ts'

/** One place at which a rule was broken. */
export const FindingExample = Type.Object({
  element: Type.Unsafe<number | null>({
    ...NullableInteger,
    description: 'Which element of `records`, counted from 1 over all pages; of pushes, which one',
  }),
  reference: NullableString,
  found: Type.String({ description: 'What was there instead; empty where the message says it' }),
})

export const Finding = Type.Object({
  rule: Type.String({ description: 'One of docs/conformance.md' }),
  severity: OneOf('error', 'warning', 'note'),
  field: Type.Unsafe<string | null>({
    ...NullableString,
    description: 'The member or field that it is about',
  }),
  message: Type.String(),
  advice: Type.String(),
  section: Type.String({ description: 'Of the specification' }),
  count: Type.Integer({ description: 'How often it was met' }),
  examples: Type.Array(FindingExample, { description: 'The first places at which it was met' }),
})

/** One endpoint of a platform, or what it pushed. */
export const CheckedEndpoint = Type.Object({
  endpoint: Type.String({
    description: '`connection`, `ping`, `manifest`, `records/<record_type>`, `search` or `push`',
  }),
  title: Type.String(),
  records: NullableInteger,
  bytes: NullableInteger,
  took_ms: Type.Unsafe<number | null>({
    ...NullableInteger,
    description: 'Of the first whole answer',
  }),
  passed: Type.Array(Type.String(), { description: 'What was tried and found in order' }),
  findings: Type.Array(Finding),
})

export const ConformanceReport = Type.Object({
  success: Type.Boolean({ description: 'Whether there are no errors' }),
  reached: Type.Boolean({ description: 'Whether the platform could be reached at all' }),
  complete: Type.Boolean({ description: 'Whether all was read and no limit met' }),
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
export const ConformanceAnswer = Type.Object({
  success: Type.Boolean(),
  report: ConformanceReport,
  html: Type.String({ description: 'The report as one file that can be shared' }),
})

/** A line of a check under way. A finding may come again at the end of its endpoint, with its final count. */
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
  Type.Object({ kind: Type.Literal('report'), ...ConformanceAnswer.properties }),
])

export type FindingExample = Static<typeof FindingExample>
export type Finding = Static<typeof Finding>
export type CheckedEndpoint = Static<typeof CheckedEndpoint>
export type ConformanceReport = Static<typeof ConformanceReport>
export type ConformanceAnswer = Static<typeof ConformanceAnswer>
export type ConformanceLine = Static<typeof ConformanceLine>
