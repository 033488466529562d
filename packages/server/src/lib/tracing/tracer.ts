/** What the hub measures for traces. The exporter (`otlp-tracer.ts`) is loaded only if it is configured. */

/** Neither data of records nor keys may be attributes. */
export type Attributes = Readonly<Record<string, string | number | boolean>>

/** One operation. All times are those of `performance.now()`. */
export type Span = {
  /** Adds a part of the operation that has ended. After 100 parts, further ones are only counted. */
  addChild: (name: string, startedAt: number, endedAt: number, attributes?: Attributes) => void
  setAttributes: (attributes: Attributes) => void
  /** Ends and exports the span. A span that is never ended is not exported. @param error the code of the error. */
  end: (error?: string) => void
}

export type Tracer = {
  /** Starts a span now. @returns null if the trace is not sampled. */
  startSpan: (
    name: string,
    options?: {
      /** Whether the span is the response to a request. */
      isServer?: boolean
      /** The `traceparent` header of the request, which the span continues if it is valid. */
      traceparent?: string | string[] | undefined
      attributes?: Attributes
    },
  ) => Span | null
}

/** The W3C Trace Context of a request: https://www.w3.org/TR/trace-context/#traceparent-header */
type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

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

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof SAMPLERS)[number]

/**
 * Whether a sampler of OTEL_TRACES_SAMPLER exports a trace (https://opentelemetry.io/docs/specs/otel/trace/sdk/#sampling).
 * @param ratio the share of traces, from 0 to 1, for `traceidratio`.
 */
export function isSampled(
  { name, ratio }: { name: SamplerName; ratio: number },
  traceId: string,
  parent: TraceContext | null,
): boolean {
  if (parent && name.startsWith('parentbased_')) return parent.isSampled
  switch (name.replace('parentbased_', '')) {
    case 'always_on':
      return true
    case 'always_off':
      return false
    default:
      // The last 7 bytes of an id are random, also if another program has chosen it; 52 bits are exact as a number.
      return Number.parseInt(traceId.slice(19), 16) < ratio * 16 ** 13
  }
}
