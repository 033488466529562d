/** The samplers of OTEL_TRACES_SAMPLER. https://opentelemetry.io/docs/specs/otel/trace/sdk/#sampling */
import type { TraceContext } from './traceparent.ts'

export const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
export type SamplerName = (typeof SAMPLERS)[number]

/** Decides whether a trace is exported. @param ratio the share of traces, from 0 to 1, for `traceidratio`. */
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
