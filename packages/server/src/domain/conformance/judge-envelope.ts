/** What is wrong with a records answer outside of its records (specification 2.5), where the hub takes it. */
import type { Findings } from './findings.ts'

type Envelope = Readonly<Record<string, unknown>>

export function judgeEnvelope(
  envelope: Envelope,
  expected: { module_name: string },
  findings: Findings,
): void {
  if (envelope['success'] !== true) findings.add('records.success')
  for (const member of ['platform_name', 'module_name', 'record_type', 'total']) {
    const isThere = Object.hasOwn(envelope, member)
    if (!isThere) findings.add('records.member_missing', { field: member, params: { member } })
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
  return JSON.stringify(value)?.slice(0, 100) ?? 'nothing'
}
