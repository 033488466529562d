/** An OpenTelemetry collector that decodes OTLP/JSON and keeps the received spans. */
import { createServer } from 'node:http'
import Type, { type Static } from 'typebox'
import { Value } from 'typebox/value'
import { listenAtFreePort } from '../process/free-port.ts'

const Id = (digits: number) => Type.String({ pattern: `^(?!0+$)[0-9a-f]{${digits}}$` })
const Nanoseconds = Type.String({ pattern: '^\\d{19}$' })
const strict = { additionalProperties: false }
const Attribute = Type.Object(
  {
    key: Type.String(),
    value: Type.Union([
      Type.Object({ stringValue: Type.String() }, strict),
      Type.Object({ intValue: Type.String({ pattern: '^-?\\d+$' }) }, strict),
      Type.Object({ doubleValue: Type.Number() }, strict),
      Type.Object({ boolValue: Type.Boolean() }, strict),
    ]),
  },
  strict,
)
const Span = Type.Object(
  {
    traceId: Id(32),
    spanId: Id(16),
    parentSpanId: Type.Optional(Id(16)),
    flags: Type.Integer(),
    name: Type.String(),
    kind: Type.Integer({ minimum: 1, maximum: 5 }),
    startTimeUnixNano: Nanoseconds,
    endTimeUnixNano: Nanoseconds,
    attributes: Type.Array(Attribute),
    status: Type.Optional(Type.Object({ code: Type.Literal(2), message: Type.String() }, strict)),
  },
  strict,
)
/** opentelemetry/proto/collector/trace/v1/trace_service.proto, in the JSON form of OTLP. */
const ExportRequest = Type.Object(
  {
    resourceSpans: Type.Array(
      Type.Object(
        {
          resource: Type.Object({ attributes: Type.Array(Attribute) }, strict),
          scopeSpans: Type.Array(
            Type.Object(
              {
                scope: Type.Object({ name: Type.String(), version: Type.String() }, strict),
                spans: Type.Array(Span),
              },
              strict,
            ),
          ),
        },
        strict,
      ),
    ),
  },
  strict,
)

export type ReceivedSpan = Omit<Static<typeof Span>, 'attributes'> & {
  attributes: Record<string, unknown>
  resource: Record<string, unknown>
}

export type Collector = {
  address: string
  spans: ReceivedSpan[]
  /** The headers of the requests, and their bodies. */
  requests: { authorization: string; body: string }[]
  /** The statuses of the next responses; 200 after them. */
  statuses: number[]
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const spans: ReceivedSpan[] = []
  const requests: Collector['requests'] = []
  const statuses: number[] = []
  const server = createServer({ keepAliveTimeout: 0 }, async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(Buffer.from(chunk))
    const body = Buffer.concat(chunks).toString('utf8')
    const status = request.url === '/v1/traces' ? (statuses.shift() ?? 200) : 404
    requests.push({ authorization: String(request.headers.authorization), body })
    if (status === 200) spans.push(...decode(JSON.parse(body)))
    response.writeHead(status, { 'content-type': 'application/json' }).end('{}')
  })
  const port = await listenAtFreePort(server)
  return {
    ...{ address: `http://127.0.0.1:${port}`, spans, requests, statuses },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function decode(body: unknown): ReceivedSpan[] {
  if (!Value.Check(ExportRequest, body)) {
    throw new Error(JSON.stringify([...Value.Errors(ExportRequest, body)]))
  }
  return body.resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap((scope) =>
      scope.spans.map((span) => ({
        ...span,
        attributes: toObject(span.attributes),
        resource: toObject(resource.attributes),
      })),
    ),
  )
}

function toObject(attributes: Static<typeof Attribute>[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
}
