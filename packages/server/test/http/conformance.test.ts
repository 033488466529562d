/** The conformance check of a platform over the operator API, before and after registration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ConformanceLine, ConformanceResponse } from '@recordhub/protocol'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectBody, expectError } from '../helpers/hub/response.ts'
import {
  findingRules,
  simulateConformingPlatform,
  validRecord,
} from '../helpers/platform/conformance-check.ts'
import type { SimulatedPlatform } from '../helpers/platform/platform.ts'
import { createManualTimer } from '../helpers/time/manual-timer.ts'

const NDJSON = 'application/x-ndjson'
const PATH = '/api/v1/platforms/conformance'

function sourceOf({ source_base_url, source_api_key }: SimulatedPlatform) {
  return { source_base_url, source_api_key }
}

function post(hub: TestHub, url: string, body: unknown, headers: Record<string, string> = {}) {
  const authorization = hub.authorization('operator')
  return hub.send({ method: 'POST', url, headers: { authorization, ...headers }, body })
}

function linesOf(text: string): ConformanceLine[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

describeOnEngines('the conformance check', (engine) => {
  test('checking an unregistered platform returns a report and its HTML page, and stores nothing', async () => {
    await using hub = await startTestHub(engine, { timeouts: { timer: createManualTimer() } })
    await using platform = await simulateConformingPlatform()
    const before = await hub.countStoredRows()
    const response = await post(hub, PATH, sourceOf(platform))
    const { success, report, html } = expectBody(response, 200, ConformanceResponse)
    assert.equal(success, true)
    assert.deepEqual(findingRules(report), [])
    assert.match(html, /^<!doctype html>/)
    assert.deepEqual(await hub.countStoredRows(), before)
    expectAbsent([platform.source_api_key], [response.text, hub.log()])
  })

  test('findings are streamed as NDJSON, grouped by endpoint, with the report last', async () => {
    await using hub = await startTestHub(engine, { timeouts: { timer: createManualTimer() } })
    await using platform = await simulateConformingPlatform()
    platform.modules[0]?.records.push(validRecord(1))
    const response = await post(hub, PATH, sourceOf(platform), { accept: NDJSON })
    assert.equal(response.status, 200)
    assert.match(response.header('content-type'), /ndjson/)
    const lines = linesOf(response.text)
    const kinds = lines.map((line) =>
      line.kind === 'checking' ? `${line.kind} ${line.endpoint}` : line.kind,
    )
    assert.deepEqual(kinds.slice(4, 9), [
      'checking manifest',
      'endpoint',
      'checking records/cases',
      'finding',
      'endpoint',
    ])
    const last = lines.at(-1)
    assert.ok(last?.kind === 'report')
    assert.deepEqual(findingRules(last.report), ['records/cases record.duplicate'])
    assert.equal(last.success, false)
  })

  test('a registered platform is checked with its stored key and name', async () => {
    await using hub = await startTestHub(engine, { timeouts: { timer: createManualTimer() } })
    await using platform = await simulateConformingPlatform()
    const { id } = await hub.register(platform)
    const path = `/api/v1/platforms/${id}/conformance`
    const checked = expectBody(await post(hub, path, {}), 200, ConformanceResponse)
    assert.equal(checked.report.success, true)
    assert.equal(checked.report.platform_name, platform.platform_name)
    expectError(await post(hub, '/api/v1/platforms/999/conformance', {}), 404, 'not_found')
  })

  test('an unusable address is reported as a finding that does not quote its password', async () => {
    await using hub = await startTestHub(engine)
    const source = { source_base_url: 'http://me:hunter2222222@x', source_api_key: 'key' }
    const response = await post(hub, PATH, source)
    const { report } = expectBody(response, 200, ConformanceResponse)
    assert.deepEqual(findingRules(report), ['connection source_url_invalid'])
    expectAbsent(['hunter2222222'], [response.text])
  })

  test('the check requires the operator role and a valid body', async () => {
    await using hub = await startTestHub(engine)
    const headers = { authorization: hub.authorization('viewer') }
    const source = { source_base_url: 'http://127.0.0.1:9', source_api_key: 'key' }
    expectError(await post(hub, PATH, source, headers), 403, 'forbidden')
    expectError(await post(hub, PATH, { ...source, more: 1 }), 400, 'invalid_request')
  })
})
