/**
 * Exports spans to an OpenTelemetry collector by OTLP/HTTP with JSON. The packages of OpenTelemetry would need 28 MB,
 * half of the hub, for the same request (docs/decisions/0024-metrics-and-traces.md).
 * https://opentelemetry.io/docs/specs/otlp/#otlphttp
 */
import { randomBytes } from 'node:crypto'
import { request } from 'undici'
import { sleep } from '../time/run-periodically.ts'
import {
  type Attributes,
  isSampled,
  parseTraceparent,
  type SamplerName,
  type Span,
  type Tracer,
} from './tracer.ts'

type TracerSettings = {
  /** The base URL of the collector, such as http://127.0.0.1:4318. */
  endpoint: string
  headers: Readonly<Record<string, string>>
  /** `service.name` and the other attributes of the process. */
  resource: Attributes
  sampler: { name: SamplerName; ratio: number }
}

type TracerDeps = {
  settings: TracerSettings
  version: string
  /** Called with the first of consecutive failed exports. */
  onError: (error: unknown) => void
  /** The pause between two exports, in milliseconds. */
  intervalMs: number
}

type SpanCounts = { exported: number; dropped: number }

export type OtlpTracer = Tracer & {
  /** Exports the remaining spans, for a few seconds at most. */
  stop: () => Promise<void>
  counts: Readonly<SpanCounts>
}

const MAX_CHILDREN = 100
/** Further spans are dropped, as by the exporters of OpenTelemetry. */
const MAX_QUEUED = 4096
const MAX_BATCH = 512
const TIMEOUT_MS = 10_000
const STOP_TIMEOUT_MS = 3000

const KIND = { internal: 1, server: 2 } as const
const STATUS_ERROR = 2
/** The responses after which the spans are sent again. */
const RETRYABLE: readonly number[] = [429, 502, 503, 504]

/** A span in the form of OTLP/JSON. */
type OtlpSpan = {
  traceId: string
  spanId: string
  parentSpanId?: string
  flags: number
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: OtlpAttribute[]
  status?: { code: number; message: string }
}
type OtlpAttribute = {
  key: string
  value:
    | { stringValue: string }
    | { intValue: string }
    | { doubleValue: number }
    | { boolValue: boolean }
}

export function createOtlpTracer(deps: TracerDeps): OtlpTracer {
  const counts: SpanCounts = { exported: 0, dropped: 0 }
  const queue: OtlpSpan[] = []
  const stopping = new AbortController()
  const stopLimit = new AbortController()
  let wake = Promise.withResolvers<void>()
  let hasFailed = false

  /** Sends one batch. @returns whether the next one may be sent at once. */
  async function sendBatch(): Promise<boolean> {
    const batch = queue.slice(0, MAX_BATCH)
    if (batch.length === 0) return false
    const signal = AbortSignal.any([AbortSignal.timeout(TIMEOUT_MS), stopLimit.signal])
    try {
      const isAccepted = await sendSpans(deps, batch, signal)
      queue.splice(0, batch.length)
      if (isAccepted) counts.exported += batch.length
      else counts.dropped += batch.length
      if (isAccepted) hasFailed = false
      else report(new Error('The collector rejected the spans'))
      return true
    } catch (error) {
      // The spans stay in the queue for the next attempt.
      report(error)
      return false
    }
  }

  function report(error: unknown): void {
    if (!hasFailed) deps.onError(error)
    hasFailed = true
  }

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      await Promise.race([sleep(deps.intervalMs, stopping.signal), wake.promise])
      wake = Promise.withResolvers()
      while (await sendBatch()) {
        // Sends the next batch.
      }
    }
    counts.dropped += queue.splice(0).length
  }
  const running = run()

  function enqueue(spans: OtlpSpan[]): void {
    if (queue.length + spans.length > MAX_QUEUED) counts.dropped += spans.length
    else queue.push(...spans)
    // A collector that is unavailable is tried again at the interval only.
    if (queue.length >= MAX_BATCH && !hasFailed) wake.resolve()
  }

  return {
    counts,
    startSpan(name, { isServer = false, traceparent, attributes = {} } = {}) {
      const parent = parseTraceparent(traceparent)
      const traceId = parent?.traceId ?? randomId(16)
      if (!isSampled(deps.settings.sampler, traceId, parent)) return null
      const kind = isServer ? KIND.server : KIND.internal
      const context = { traceId, kind, parentSpanId: parent?.spanId ?? null }
      return createSpan(name, { ...context, attributes }, enqueue)
    },
    async stop() {
      const limit = setTimeout(() => stopLimit.abort(), STOP_TIMEOUT_MS)
      stopping.abort()
      await running
      clearTimeout(limit)
    },
  }
}

function createSpan(
  name: string,
  context: { traceId: string; kind: number; parentSpanId: string | null; attributes: Attributes },
  enqueue: (spans: OtlpSpan[]) => void,
): Span {
  const { traceId, parentSpanId } = context
  const spanId = randomId(8)
  const startedAt = performance.now()
  const children: OtlpSpan[] = []
  let attributes = context.attributes
  let omitted = 0
  const toOtlp = (part: {
    name: string
    spanId: string
    parentSpanId: string | null
    kind: number
    startedAt: number
    endedAt: number
    attributes: Attributes
  }): OtlpSpan => ({
    ...{ traceId, spanId: part.spanId },
    ...(part.parentSpanId === null ? {} : { parentSpanId: part.parentSpanId }),
    ...{ flags: 1, name: part.name, kind: part.kind },
    startTimeUnixNano: toUnixNano(part.startedAt),
    endTimeUnixNano: toUnixNano(part.endedAt),
    attributes: toAttributes(part.attributes),
  })
  return {
    addChild(childName, from, to, childAttributes = {}) {
      if (children.length >= MAX_CHILDREN) {
        omitted += 1
        return
      }
      const ids = { spanId: randomId(8), parentSpanId: spanId, kind: KIND.internal }
      const times = { startedAt: from, endedAt: to }
      children.push(toOtlp({ name: childName, ...ids, ...times, attributes: childAttributes }))
    },
    setAttributes(added) {
      attributes = { ...attributes, ...added }
    },
    end(error) {
      const all = omitted > 0 ? { ...attributes, 'recordhub.spans_omitted': omitted } : attributes
      const times = { startedAt, endedAt: performance.now() }
      const span = toOtlp({
        ...{ name, spanId, parentSpanId, kind: context.kind },
        ...times,
        attributes: error === undefined ? all : { ...all, 'error.type': error },
      })
      if (error !== undefined) span.status = { code: STATUS_ERROR, message: error }
      enqueue([span, ...children.splice(0)])
    },
  }
}

/**
 * @returns false if the collector rejects the spans for good.
 * @throws Error if they can be sent again.
 */
async function sendSpans(
  { settings, version }: TracerDeps,
  spans: OtlpSpan[],
  signal: AbortSignal,
): Promise<boolean> {
  const body = {
    resourceSpans: [
      {
        resource: { attributes: toAttributes(settings.resource) },
        scopeSpans: [{ scope: { name: 'recordhub', version }, spans }],
      },
    ],
  }
  const response = await request(`${settings.endpoint}/v1/traces`, {
    method: 'POST',
    headers: { ...settings.headers, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  })
  await response.body.dump()
  const { statusCode } = response
  if (RETRYABLE.includes(statusCode)) throw new Error(`The collector responded with ${statusCode}`)
  return statusCode >= 200 && statusCode < 300
}

function toAttributes(attributes: Attributes): OtlpAttribute[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: toValue(value) }))
}

function toValue(value: string | number | boolean): OtlpAttribute['value'] {
  if (typeof value === 'string') return { stringValue: value }
  if (typeof value === 'boolean') return { boolValue: value }
  return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** To the microsecond, the resolution of `performance.now()`. */
function toUnixNano(time: number): string {
  return `${Math.round((performance.timeOrigin + time) * 1000)}000`
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
