/** The W3C Trace Context of a request: https://www.w3.org/TR/trace-context/#traceparent-header */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

const FORMAT = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/

/** Returns null for a missing or invalid header. A header of a later version is read as one of version 00. */
export function parseTraceparent(header: string | string[] | undefined): TraceContext | null {
  if (typeof header !== 'string') return null
  const [, version, traceId = '', spanId = '', flags = '', rest] = FORMAT.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && rest !== undefined)) {
    return null
  }
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & 1) === 1 }
}
