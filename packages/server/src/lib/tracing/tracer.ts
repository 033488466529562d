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
