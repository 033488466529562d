import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createPlatformHandler, type HandlerOptions } from './handler.ts'
import type { PlatformDefinition, PlatformModule, PlatformRecord, Records } from './platform.ts'

const KEY = 'a source key of 24 chars'
const EMPLOYEES: PlatformRecord[] = [
  { reference_number: 'E-1', full_name: 'Ann Example', data: { job: 'cook', left_on: null } },
  { reference_number: 'E-2', full_name: 'Bob Ünïcode 😀', data: { job: 'smith', left_on: null } },
]
const ABOUT = { name: 'Employees', recordType: 'employee', fields: [{ key: 'job' }] }
const MODULE: PlatformModule = { ...ABOUT, records: () => EMPLOYEES }
const PLATFORM: PlatformDefinition = {
  name: 'hr',
  title: 'HR Suite',
  sourceKey: KEY,
  modules: [MODULE],
}

function serve(over: Partial<PlatformDefinition> = {}, options: HandlerOptions = {}) {
  const errors: string[] = []
  const onError = (error: unknown, path: string) => errors.push(`${path}: ${String(error)}`)
  const handler = createPlatformHandler({ ...PLATFORM, ...over }, { onError, ...options })
  async function get(path: string, headers: Record<string, string> = {}, init: RequestInit = {}) {
    const all = { 'X-PLATFORM-API-KEY': KEY, ...headers }
    const response = await handler(new Request(`http://any${path}`, { headers: all, ...init }))
    assert.ok(response, `${path} is for the hub`)
    return response
  }
  return { handler, get, errors }
}

type ModuleSource = PlatformModule extends infer Module
  ? Module extends unknown
    ? Omit<Module, 'name' | 'recordType' | 'fields'>
    : never
  : never
const withModule = (module: ModuleSource) => serve({ modules: [{ ...ABOUT, ...module }] })

type Body = {
  success: boolean
  message: string
  record_type: string
  records: PlatformRecord[]
  total?: number
}
async function bodyOf(response: Response): Promise<Body> {
  return JSON.parse(await response.text())
}

test('ping, manifest and records have the format of the specification', async () => {
  const { get } = serve({ description: 'People' })
  const ping = await get('/api/hub/ping')
  assert.equal(ping.headers.get('content-type'), 'application/json')
  assert.deepEqual(await bodyOf(ping), {
    success: true,
    message: 'HR Suite is online.',
    platform_name: 'hr',
  })
  assert.deepEqual(await bodyOf(await get('/api/hub/manifest')), {
    success: true,
    platform_name: 'hr',
    platform_title: 'HR Suite',
    platform_description: 'People',
    modules: [
      {
        module_name: 'Employees',
        record_type: 'employee',
        description: '',
        fields: [{ key: 'job', label: 'job', type: 'string', required: false }],
      },
    ],
  })
  assert.deepEqual(await bodyOf(await get('/api/hub/records/employee')), {
    success: true,
    platform_name: 'hr',
    module_name: 'Employees',
    record_type: 'employee',
    records: EMPLOYEES,
    total: 2,
  })
})

test('a record is served with its defined members only, without undefined values', async () => {
  const record = { ...EMPLOYEES[0], secret: 'x', data: { job: 'cook', phone: undefined } }
  const { get } = withModule({ records: () => [Object.assign({}, EMPLOYEES[0], record)] })
  const { records } = await bodyOf(await get('/api/hub/records/employee'))
  assert.deepEqual(records, [
    { reference_number: 'E-1', full_name: 'Ann Example', data: { job: 'cook' } },
  ])
})

test('only a complete source key gives access, and several keys may be valid', async () => {
  const { handler } = serve({ sourceKey: [KEY, 'the next key of this one'] })
  const statusOf = async (key: string | null, path = '/api/hub/ping') => {
    const headers = new Headers(key === null ? {} : { 'X-PLATFORM-API-KEY': key })
    return (await handler(new Request(`http://any${path}`, { headers })))?.status
  }
  assert.equal(await statusOf(KEY), 200)
  assert.equal(await statusOf('the next key of this one'), 200)
  for (const wrong of [
    null,
    '',
    KEY.slice(0, -1),
    `${KEY}x`,
    KEY.toUpperCase(),
    `${KEY}, ${KEY}`,
  ]) {
    assert.equal(await statusOf(wrong), 401, String(wrong))
    assert.equal(await statusOf(wrong, '/api/hub/records/employee'), 401)
    assert.equal(
      await statusOf(wrong, '/api/hub/nothing'),
      401,
      'it does not reveal which paths exist',
    )
  }
})

test('the handler returns null for paths outside its prefix, and 404 for unknown paths', async () => {
  const { handler, get } = serve()
  for (const path of ['/', '/api/hub', '/api/hubs/ping', '/x/api/hub/ping', '//api/hub/ping']) {
    assert.equal(await handler(new Request(`http://any${path}`)), null, path)
  }
  for (const path of [
    '/api/hub/',
    '/api/hub/search?query=x',
    '/api/hub/ping/',
    '/api/hub/records/',
    '/api/hub/records/nobody',
    '/api/hub/records/employee/1',
    '/api/hub/records/%E0%A4%A',
    '/api/hub/records/__proto__',
    '/api/hub/records/employee%00',
    `/api/hub/${'x'.repeat(5000)}`,
  ]) {
    const response = await get(path)
    assert.equal(response.status, 404, path)
    const { success, message } = await bodyOf(response)
    assert.equal(success, false)
    assert.ok(message.length < 100)
  }
  for (const method of ['POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS']) {
    const response = await get('/api/hub/records/employee', {}, { method })
    assert.equal(response.status, 405)
    assert.equal(response.headers.get('allow'), 'GET')
  }
})

test('paths use the configured base path and path word', async () => {
  const { handler, get } = serve({}, { basePath: '/crm/', pathWord: 'sync' })
  assert.equal(handler.path, '/crm/api/sync/')
  assert.equal((await get('/crm/api/sync/ping')).status, 200)
  assert.equal(await handler(new Request('http://any/api/sync/ping')), null)
})

test('a record type may contain any characters, encoded in the path', async () => {
  for (const recordType of ['a/b', 'Ärzte & Pflege', '100%', 'x?y#z', ' ']) {
    if (recordType.trim() === '') continue
    const { get } = serve({ modules: [{ ...MODULE, recordType }] })
    const path = `/api/hub/records/${encodeURIComponent(recordType)}`
    assert.equal((await bodyOf(await get(path))).record_type, recordType)
  }
})

test('an unchanged version returns 304 without reading the records', async () => {
  let version = '2026-01-01, "a" ünd 7'
  let reads = 0
  const { get } = withModule({
    version: () => version,
    records: () => {
      reads += 1
      return EMPLOYEES
    },
  })
  const first = await get('/api/hub/records/employee')
  const tag = first.headers.get('etag') ?? ''
  assert.match(tag, /^W\/"[\x21\x23-\x7e]+"$/)
  for (const known of [tag, `"other", ${tag}`, tag.replace('W/', '')]) {
    const again = await get('/api/hub/records/employee', { 'If-None-Match': known })
    assert.equal(again.status, 304)
    assert.equal(again.headers.get('etag'), tag)
    assert.equal(again.body, null)
  }
  assert.equal(reads, 1)
  version = 'next'
  const changed = await get('/api/hub/records/employee', { 'If-None-Match': tag })
  assert.equal(changed.status, 200)
  assert.notEqual(changed.headers.get('etag'), tag)
})

test('the link to the next page is relative to the requested URL', async () => {
  const { get } = withModule({
    pages: (cursor) => ({
      records: EMPLOYEES.slice(Number(cursor ?? 0), Number(cursor ?? 0) + 1),
      next: cursor === null ? '1' : null,
    }),
  })
  const references: string[] = []
  let url: URL | null = new URL('http://any/api/hub/records/employee')
  while (url) {
    const response: Response = await get(url.pathname + url.search)
    const { records, total } = await bodyOf(response)
    assert.equal(total, undefined, 'the total of a page is not the total of the module')
    references.push(...records.map((one: PlatformRecord) => one.reference_number))
    const target = /^<([^>]+)>; rel="next"$/.exec(response.headers.get('link') ?? '')?.[1]
    url = target === undefined ? null : new URL(target, url)
  }
  assert.deepEqual(references, ['E-1', 'E-2'])
})

test('a cursor may contain any characters, and a known total is returned', async () => {
  const cursor = 'a&b=<c>; "d" ü'
  const { get } = withModule({
    pages: (requested) => ({ records: [], next: requested === cursor ? null : cursor, total: 7 }),
  })
  const first = await get('/api/hub/records/employee')
  const target = /^<(\?[\x21-\x7e]+)>; rel="next"$/.exec(first.headers.get('link') ?? '')?.[1]
  const last = await get(`/api/hub/records/employee${target}`)
  assert.equal(last.headers.get('link'), null)
  assert.equal((await bodyOf(last)).total, 7)
})

test('responses are compressed for clients that accept gzip', async () => {
  const { get } = serve()
  for (const accepted of ['gzip', 'br, GZIP;q=0.5', 'deflate,gzip']) {
    const response = await get('/api/hub/records/employee', { 'Accept-Encoding': accepted })
    assert.equal(response.headers.get('content-encoding'), 'gzip')
    const bytes = gunzipSync(new Uint8Array(await response.arrayBuffer()))
    assert.equal(JSON.parse(bytes.toString()).total, 2)
  }
  for (const accepted of ['', 'br', 'gzip;q=0', 'gzip; q=0.000', 'gzipped']) {
    const response = await get('/api/hub/records/employee', { 'Accept-Encoding': accepted })
    assert.equal(response.headers.get('content-encoding'), null, accepted)
    assert.equal(response.headers.get('vary'), 'Accept-Encoding')
  }
  const plain = serve({}, { gzip: false })
  const response = await plain.get('/api/hub/ping', { 'Accept-Encoding': 'gzip' })
  assert.equal((await bodyOf(response)).success, true)
})

test('a search returns at most 100 records that the platform finds', async () => {
  const queries: string[] = []
  async function* find() {
    for (let number = 1; ; number += 1) {
      yield { record_type: 'employee', reference_number: `E-${number}`, full_name: '', data: {} }
    }
  }
  const { get } = serve({
    search: (query) => {
      queries.push(query)
      return find()
    },
  })
  const body = await bodyOf(await get('/api/hub/search?query=%20ann%20'))
  assert.equal(body.records.length, 100)
  assert.deepEqual(await bodyOf(await get('/api/hub/search?query=')), {
    success: true,
    platform_name: 'hr',
    records: [],
  })
  assert.deepEqual(queries, ['ann'])
})

test('an error before the response starts is a 500, and only the platform sees the reason', async () => {
  const fail = () => {
    throw new Error('the password of the database is wrong')
  }
  async function* failing() {
    yield* EMPLOYEES
    fail()
  }
  for (const records of [fail, async () => fail(), () => failing()]) {
    const { get, errors } = withModule({ records })
    const response = await get('/api/hub/records/employee')
    assert.equal(response.status, 500)
    assert.doesNotMatch(await response.text(), /password/)
    assert.deepEqual(errors, [
      '/api/hub/records/employee: Error: the password of the database is wrong',
    ])
  }
})

const LARGE = { reference_number: 'L', full_name: '', data: { text: 'x'.repeat(40_000) } }

test('an error while reading aborts the response, compressed or not', async () => {
  for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
    const { get, errors } = withModule({
      async *records() {
        for (let count = 0; count < 3; count += 1) yield LARGE
        throw new Error('the cursor is lost')
      },
    })
    const response = await get('/api/hub/records/employee', headers)
    assert.equal(response.status, 200)
    await assert.rejects(response.arrayBuffer())
    assert.deepEqual(errors, ['/api/hub/records/employee: Error: the cursor is lost'])
  }
})

test('a record that JSON cannot represent is reported with its reference', async () => {
  const { get, errors } = withModule({
    records: () => [{ reference_number: 'E-7', full_name: '', data: { salary: 10n } }],
  })
  assert.equal((await get('/api/hub/records/employee')).status, 500)
  assert.match(errors[0] ?? '', /Record 1 \(E-7\).*data\.salary is a BigInt/)
})

test('an invalid record from plain JavaScript is reported with its position', async () => {
  const records: [Records, RegExp][] = [
    [JSON.parse('[null]'), /Record 1 is not an object/],
    [[Object({ reference_number: 7n, data: {} })], /Record 1 .*reference_number is a BigInt/],
  ]
  for (const [given, message] of records) {
    const { get, errors } = withModule({ records: () => given })
    assert.equal((await get('/api/hub/records/employee')).status, 500)
    assert.match(errors[0] ?? '', message)
  }
})

test('records are read on demand, and reading stops when the client disconnects', async () => {
  for (const headers of [{}, { 'Accept-Encoding': 'gzip' }]) {
    let read = 0
    const ended = Promise.withResolvers<void>()
    const stopped = Promise.withResolvers<void>()
    const { get, errors } = withModule({
      async *records({ signal }) {
        signal.addEventListener('abort', () => stopped.resolve())
        try {
          for (;;) {
            read += 1
            yield LARGE
          }
        } finally {
          ended.resolve()
        }
      },
    })
    const response = await get('/api/hub/records/employee', headers)
    const reader = response.body?.getReader()
    assert.ok(reader)
    await reader.read()
    await new Promise(setImmediate)
    assert.ok(read < 20, `${read} records were read for one chunk`)
    await reader.cancel()
    await Promise.all([stopped.promise, ended.promise])
    assert.deepEqual(errors, [], 'a disconnect is not an error')
  }
})

test('an invalid definition is rejected with its reason', () => {
  const reject = (over: Partial<PlatformDefinition>, reason: RegExp) =>
    assert.throws(() => createPlatformHandler({ ...PLATFORM, ...over }), reason)
  reject({ name: ' ' }, /name of the platform is missing/)
  reject({ title: '' }, /title of hr is missing/)
  reject({ title: 'a\u0000' }, /null character/)
  reject({ sourceKey: 'short' }, /shorter than 16/)
  reject({ sourceKey: [] }, /needs a source key/)
  reject({ sourceKey: '' }, /source key of .* is missing/)
  reject(Object({ sourceKey: undefined }), /source key of .* is missing/)
  reject({ sourceKey: [KEY, 'schlüssel-schlüssel'] }, /printable ASCII/)
  reject({ sourceKey: `${KEY}\n` }, /printable ASCII/)
  reject({ modules: [MODULE, { ...MODULE, name: 'Others' }] }, /record type "employee"/)
  reject({ modules: [{ ...MODULE, recordType: '..' }] }, /would change the path/)
  reject({ modules: [{ ...MODULE, recordType: '\ud800' }] }, /surrogate/)
  reject({ modules: [{ ...MODULE, name: '' }] }, /name of the module "employee"/)
  reject(
    { modules: [{ ...MODULE, fields: [{ key: 'a' }, { key: 'a' }] }] },
    /two fields with the key "a"/,
  )
  // As an untyped program may pass it.
  reject(
    { modules: [Object.assign({ records: () => [] }, ABOUT, { records: undefined })] },
    /either/,
  )
})
