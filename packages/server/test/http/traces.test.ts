/** The traces of a hub, as an OpenTelemetry collector receives them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket, startTestHub } from '../helpers/hub/hub.ts'
import { type Collector, type ReceivedSpan, startCollector } from '../helpers/hub/otlp-collector.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { scrape, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { respond, simulatedRecord } from '../helpers/platform/platform.ts'
import { until } from '../helpers/time/until.ts'

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT_ID = '00f067aa0ba902b7'
const RECEIVER = '/api/webhook/receive'
const EXPORT = '/api/v1/records/export'
/** Personal data of a record, which must not be exported. */
const SECRET_NAME = 'Cassandra Confidential'

const envOf = (collector: Collector, more: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: collector.address,
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20of-the-collector',
  OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  ...more,
})

/** The span with a name, and its children in the order of their start. */
function traceOf(spans: ReceivedSpan[], name: string) {
  const root = spans.find((span) => span.name === name)
  assert.ok(root, `${name} is not in ${spans.map((span) => span.name)}`)
  const children = spans.filter(({ parentSpanId }) => parentSpanId === root.spanId)
  for (const child of children) {
    assert.equal(child.traceId, root.traceId)
    assert.ok(child.startTimeUnixNano >= root.startTimeUnixNano)
    assert.ok(child.endTimeUnixNano <= root.endTimeUnixNano)
    assert.ok(child.startTimeUnixNano <= child.endTimeUnixNano)
  }
  return { root, names: children.map((child) => child.name), children }
}

describeOnEngines('traces', (engine) => {
  test('a push, a pull task and an export have spans for their parts, without data and keys', async () => {
    await using collector = await startCollector()
    const hub = await startTestHub(engine, { env: envOf(collector) })
    let key = ''
    try {
      await using platform = await hub.createPlatform()
      key = platform.hub_api_key
      platform.modules[0]?.records.push(
        ...[1, 2].map((number) => ({ ...simulatedRecord(number), full_name: SECRET_NAME })),
      )
      const record = newRecord('E-1', { full_name: SECRET_NAME, data: { status: SECRET_NAME } })
      const traceparent = `00-${TRACE_ID}-${PARENT_ID}-01`
      const headers = { ...pushHeaders(key), traceparent }
      const pushed = await sendOverSocket(hub, {
        ...{ method: 'POST', url: RECEIVER, headers, body: record },
      })
      assert.equal(pushed.status, 201)
      await hub.pullAll()
      await hub.untilIndexed()
      const exported = await hub.get(`${EXPORT}?format=ndjson&q=${encodeURIComponent('Cassandra')}`)
      assert.ok(exported.text.includes(SECRET_NAME))
    } finally {
      await hub[Symbol.asyncDispose]()
    }

    const { root, names } = traceOf(collector.spans, `POST ${RECEIVER}`)
    assert.deepEqual(names, ['authenticate', 'validate', 'wait for batch', 'commit'])
    assert.equal(root.traceId, TRACE_ID)
    assert.equal(root.parentSpanId, PARENT_ID)
    assert.equal(root.kind, 2)
    assert.equal(root.status, undefined)
    assert.equal(root.attributes['http.response.status_code'], '201')
    assert.equal(root.attributes['recordhub.outcome'], 'created')
    assert.equal(root.resource['service.name'], 'recordhub')
    assert.equal(root.resource['service.version'], '0.0.0-test')
    assert.equal(root.resource['deployment.environment'], 'test')

    const task = traceOf(collector.spans, 'pull task')
    assert.deepEqual(new Set(task.names), new Set(['fetch', 'parse', 'store']))
    assert.equal(task.root.attributes['recordhub.state'], 'succeeded')
    assert.equal(task.root.attributes['recordhub.created'], '2')
    assert.notEqual(task.root.traceId, TRACE_ID)

    const file = traceOf(collector.spans, `GET ${EXPORT}`)
    assert.deepEqual(file.names, ['read', 'write'])
    assert.equal(file.root.attributes['recordhub.records'], '3')

    const sent = collector.requests.map(({ body }) => body).join('')
    for (const secret of [SECRET_NAME, 'Cassandra', key, 'E-1', 'R-1', 'source-key']) {
      assert.ok(!sent.includes(secret), `${secret} was exported`)
    }
    const authorizations = new Set(collector.requests.map(({ authorization }) => authorization))
    assert.deepEqual([...authorizations], ['Bearer of-the-collector'])
  })
})

describeOnEngines('exporting traces', (engine) => {
  test('failed operations have the code of the error, without its message', async () => {
    await using collector = await startCollector()
    const hub = await startTestHub(engine, { env: envOf(collector) })
    try {
      await using platform = await hub.createPlatform()
      platform.setResponse('records/cases', respond.text('Cassandra', 'text/html'))
      await hub.push(platform.hub_api_key, newRecord('E-1', { full_name: 7 }))
      await hub.push('not a key', newRecord('E-2'))
      await hub.pullAll()
    } finally {
      await hub[Symbol.asyncDispose]()
    }
    const codes = collector.spans.flatMap(({ status }) => (status ? [status.message] : []))
    assert.deepEqual(codes.toSorted(), ['api_key_invalid', 'invalid_record', 'platform_not_json'])
    assert.ok(!collector.requests.some(({ body }) => body.includes('Cassandra')))
  })

  test('the sampled flag of a traceparent decides, and an invalid traceparent starts a new trace', async () => {
    await using collector = await startCollector()
    const hub = await startTestHub(engine, { env: envOf(collector) })
    try {
      await using platform = await hub.createPlatform()
      const send = (traceparent: string) =>
        hub.send({
          ...{ method: 'POST', url: RECEIVER, body: newRecord('E-1') },
          headers: { ...pushHeaders(platform.hub_api_key), traceparent },
        })
      await send(`00-${TRACE_ID}-${PARENT_ID}-00`)
      await send(`00-${'0'.repeat(32)}-${PARENT_ID}-01`)
      await send('x'.repeat(1000))
    } finally {
      await hub[Symbol.asyncDispose]()
    }
    const roots = collector.spans.filter(({ name }) => name === `POST ${RECEIVER}`)
    assert.equal(roots.length, 2)
    for (const { traceId, parentSpanId } of roots) {
      assert.notEqual(traceId, TRACE_ID)
      assert.equal(parentSpanId, undefined)
    }
  })

  test('spans wait while the collector is unavailable, and the hub works as before', async () => {
    await using collector = await startCollector()
    collector.statuses.push(503, 503)
    const env = envOf(collector, WITH_METRICS)
    await using hub = await startTestHub(engine, { env, intervals: { traces: 1 } })
    await using platform = await hub.createPlatform()
    assert.equal((await hub.push(platform.hub_api_key, newRecord('E-1'))).status, 201)
    await until(async () => (collector.spans.length > 0 ? true : null), 'the spans arrive')
    assert.equal(traceOf(collector.spans, `POST ${RECEIVER}`).names.length, 4)
    assert.equal(collector.requests.length, 3)
    const lines = hub.log().split('\n')
    const logged = lines.filter((line) => line.includes('traces could not be exported'))
    assert.equal(logged.length, 1)
    const spans = await until(async () => {
      const counted = (await scrape(hub)).get('recordhub_trace_spans_total{result="exported"}')
      return counted === 5 ? counted : null
    }, 'the spans are counted')
    assert.equal(spans, 5)
  })
})
