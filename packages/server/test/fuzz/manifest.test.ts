/**
 * Any manifest: it is rejected with a clear error, or its modules can be registered, pushed to, listed, exported and
 * read in SQL, with the same result on both engines.
 */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { pushHeaders } from '../helpers/hub/platform-requests.ts'
import type { TestResponse } from '../helpers/hub/response.ts'
import { openXlsx } from '../helpers/hub/xlsx-file.ts'
import { respond, type SimulatedPlatform, simulatePlatform } from '../helpers/platform/platform.ts'
import { fc } from '../helpers/random/fast-check.ts'
import { TestClock } from '../helpers/storage/engine.ts'
import { postgresEngine } from '../helpers/storage/postgres.ts'
import { readSqlViews } from '../helpers/storage/sql.ts'
import { sqliteEngine } from '../helpers/storage/sqlite.ts'
import { anyString, anyText, bytesOf, jsonString, objectWith } from './arbitraries.ts'
import { expectHandled, expectSame, expectUnharmed, fuzz, sampleOf } from './checks.ts'
import { STRINGS } from './corpus.ts'
import { readReferenceBytes, stringOf } from './reference-json.ts'
import { comparable } from './two-hubs.ts'

describe('fuzzed manifests', () => {
  let platform: SimulatedPlatform
  let hubs: TestHub[] = []
  before(async () => {
    platform = await simulatePlatform()
    const clock = new TestClock()
    hubs = [
      await startTestHub(sqliteEngine, { clock }),
      await startTestHub(postgresEngine, { clock }),
    ]
  })
  after(async () => {
    await platform[Symbol.asyncDispose]()
    for (const hub of hubs) await hub[Symbol.asyncDispose]()
  })

  /** Runs an action on both hubs, and asserts that it has the same result. */
  async function onBoth<Result>(
    action: (hub: TestHub) => Promise<Result>,
    textOf: (result: Result) => string,
  ): Promise<Result[]> {
    const results = []
    for (const hub of hubs) results.push(await action(hub))
    const [onSqlite = '', onPostgres = ''] = results.map(textOf)
    expectSame(onSqlite, onPostgres)
    return results
  }

  const call = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: (hub: TestHub) => string,
    body?: object,
    textOf: (one: TestResponse) => string = withoutTimes,
  ) =>
    onBoth(
      (hub) =>
        hub.send({
          method,
          url: url(hub),
          headers: { authorization: hub.authorization('admin') },
          ...(body ? { body } : {}),
        }),
      textOf,
    )

  /** Registers the modules of the current manifest, and uses them in every way. */
  async function checkManifest(record_types: string[]): Promise<void> {
    const { source_base_url, source_api_key } = platform
    const probes = await call('POST', () => '/api/v1/platforms/probe', {
      source_base_url,
      source_api_key,
    })
    for (const probe of probes) expectHandled(probe, { upstream: true })
    const body = { source_base_url, source_api_key, record_types }
    const registered = await call(
      'POST',
      () => '/api/v1/platforms',
      body,
      ({ status, text }) =>
        withoutTimes({
          status,
          text: text.replace(/"hub_api_key[^}]*/, '').replace(/rhk_[^"]*/, ''),
        }),
    )
    const [first] = registered
    assert.ok(first)
    if (expectHandled(first, { upstream: true }) !== null) return
    const members = new Map(
      registered.map((response, index) => [hubs[index], JSON.parse(response.text)]),
    )
    const { platform: stored } = members.get(hubs[0])
    const idOf = (hub: TestHub) => String(members.get(hub).platform.id)
    try {
      await useModules(stored, (hub) => String(members.get(hub).hub_api_key), idOf)
    } finally {
      for (const hub of hubs) {
        const removed = await hub.callAs('admin', 'DELETE', `/api/v1/platforms/${idOf(hub)}`, {
          platform_name: stored.platform_name,
        })
        assert.ok(removed.status < 300, removed.text)
      }
    }
  }

  async function useModules(
    stored: StoredPlatform,
    keyOf: (hub: TestHub) => string,
    idOf: (hub: TestHub) => string,
  ): Promise<void> {
    const { platform_name, modules } = stored
    const registered = modules.filter((module) => module.registered)
    for (const { record_type, fields } of registered) {
      const data = Object.fromEntries(
        fields.map(({ key }, index) => [key, STRINGS[(index * 7) % STRINGS.length]]),
      )
      const bytes = JSON.stringify({
        module_name: 'm',
        record_type,
        reference_number: 'r-1',
        full_name: 'n',
        data,
      })
      const isProto = fields.some(({ key }) => key === '__proto__')
      const [pushed] = await onBoth(
        (hub) =>
          hub.send({
            method: 'POST',
            url: '/api/webhook/receive',
            headers: pushHeaders(keyOf(hub)),
            body: bytes,
          }),
        withoutTimes,
      )
      assert.ok(pushed)
      assert.equal(pushed.status, isProto ? pushed.status : 201, pushed.text)
      expectHandled(pushed)
      const query = new URLSearchParams({ platform: platform_name, record_type })
      const [list] = await call('GET', () => `/api/v1/records?${query}`)
      assert.equal(list?.status, 200, list?.text)
      for (const key of fields
        .slice(0, 3)
        .map((field) => field.key)
        .filter((one) => one.isWellFormed())) {
        const sorted = new URLSearchParams({
          platform: platform_name,
          record_type,
          sort: `data.${key}`,
          [`filter[${key}][contains]`]: 'a',
        })
        // The index of each hub may contain the record or not yet.
        const url = `/api/v1/records?${sorted}`
        for (const one of await call('GET', () => url, undefined, statusOf)) expectHandled(one)
      }
      const path = (hub: TestHub) =>
        `/api/v1/platforms/${idOf(hub)}/modules/${encodeURIComponent(record_type)}/indexed-fields`
      for (const one of await call('PUT', path, {
        fields: fields.slice(0, 5).map((field) => field.key),
      }))
        expectHandled(one)
    }
    const byPlatform = new URLSearchParams({ platform: platform_name })
    for (const options of [
      'format=ndjson',
      'format=csv&header=key',
      'format=csv&header=label',
      'format=csv&header=label&raw=true',
    ]) {
      const [exported] = await call('GET', () => `/api/v1/records/export?${options}&${byPlatform}`)
      assert.equal(exported?.status, 200, exported?.text)
    }
    await onBoth(
      async (hub) => {
        const response = await fetch(
          `${hub.address}/api/v1/records/export?format=xlsx&header=label&${byPlatform}`,
          { headers: { authorization: hub.authorization('admin') } },
        )
        assert.equal(response.status, 200)
        return openXlsx(Buffer.from(await response.arrayBuffer()))
      },
      (sheets) => JSON.stringify([...sheets].map(([name, rows]) => [name, rows.length])),
    )
    for (const path of ['', '/instructions', '/drift']) {
      const [response] = await call(
        'GET',
        (hub) => `/api/v1/platforms/${idOf(hub)}${path}`,
        undefined,
        statusOf,
      )
      assert.ok(response)
      assert.equal(response.status, 200, response.text)
    }
    // A lone surrogate becomes one U+FFFD on PostgreSQL, and three on SQLite (docs/sql-access.md).
    await onBoth(readViews, (rows) => JSON.stringify(rows).replaceAll(/\ufffd+/g, '\ufffd'))
    await call('POST', (hub) => `/api/v1/platforms/${idOf(hub)}/manifest/refresh`)
  }

  async function readViews(hub: TestHub) {
    return [...(await readSqlViews(hub.storage))].map(([view_name, rows]) => [
      view_name,
      // The values; the names may differ, because PostgreSQL truncates them.
      rows.map((row) =>
        Object.values(row)
          .slice(1, -2)
          .map((one) => (one === null ? null : String(Number(one) === 0 ? 0 : one))),
      ),
    ])
  }

  async function checkText(bytes: Buffer): Promise<void> {
    const value = readReferenceBytes(bytes)
    platform.setResponse('manifest', respond.text(bytes, 'application/json'))
    platform.setResponse(
      'ping',
      respond.json({
        success: true,
        message: 'Online',
        platform_name: stringOf(value, 'platform_name') ?? platform.platform_name,
      }),
    )
    const modules = value?.kind === 'object' ? value.members.get('modules') : undefined
    const types =
      modules?.kind === 'array'
        ? modules.items.map((one) => stringOf(one, 'record_type') ?? '')
        : ['cases']
    await checkManifest([...new Set(types)])
  }

  test('each string of the corpus as the name of a module, a field and a platform', async () => {
    const groups = Array.from({ length: Math.ceil(STRINGS.length / 40) }, (_, index) =>
      STRINGS.slice(index * 40, index * 40 + 40),
    )
    for (const group of sampleOf(groups, 1)) {
      const usable = group.filter(
        (text) =>
          text !== '' &&
          text.isWellFormed() &&
          !text.includes('\0') &&
          text !== '.' &&
          text !== '..' &&
          !/rh[kt]_/.test(text),
      )
      const fields = usable.map((text) => ({
        key: text,
        label: text,
        type: 'string',
        required: false,
      }))
      const modules = usable.map((text) => ({
        module_name: text,
        record_type: text,
        description: text,
        fields: fields.slice(0, 3),
      }))
      const named = {
        success: true,
        platform_name: usable[0],
        platform_title: usable[0],
        platform_description: usable[0],
      }
      await checkText(
        Buffer.from(
          JSON.stringify({
            ...named,
            modules: [
              { module_name: 'All', record_type: 'all', description: '', fields },
              ...modules.slice(0, 2),
            ],
          }),
        ),
      )
    }
    expectUnharmed(...hubs)
  })

  test('generated manifests', async () => {
    const name = fc.oneof(
      { weight: 4, arbitrary: anyString.map((text) => JSON.stringify(text || 'x')) },
      { weight: 1, arbitrary: jsonString },
    )
    const field = objectWith({
      key: name,
      label: jsonString,
      type: fc.oneof(
        fc.constantFrom('"string"', '"number"', '"date"', '"boolean"', '"integer"'),
        jsonString,
      ),
      required: fc.constantFrom('true', 'false'),
    })
    const list = (item: fc.Arbitrary<string>, maxLength: number) =>
      fc.array(item, { maxLength }).map((items) => `[${items.join()}]`)
    const module = objectWith({
      module_name: name,
      record_type: name,
      description: jsonString,
      fields: list(field, 5),
    })
    const manifest = objectWith({
      success: fc.constant('true'),
      platform_name: anyText.map((text) => JSON.stringify(text || 'x')),
      platform_title: name,
      platform_description: jsonString,
      modules: list(module, 3),
    })
    await fuzz(bytesOf(manifest, { damaged: 0.1 }), { quick: 3, deep: 600, check: checkText })
    expectUnharmed(...hubs)
  })
})

function statusOf({ status }: TestResponse): string {
  return String(status)
}

type StoredPlatform = {
  platform_name: string
  modules: { record_type: string; registered: boolean; fields: { key: string }[] }[]
}

function withoutTimes({ status, text }: Pick<TestResponse, 'status' | 'text'>): string {
  const response = { status, text, header: () => '', cookies: [] }
  return (
    comparable(response)
      .replaceAll(/"took_ms":\d+/g, '')
      // Each hub builds the indexes in the background.
      .replaceAll(/"is_built":(?:true|false)/g, '')
      .replaceAll(/^\d+,|(?<=\n)\d+,/g, '')
  )
}
