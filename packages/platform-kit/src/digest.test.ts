import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { createPlatformHandler } from './handler.ts'
import type { DigestBucket, PlatformModule, PlatformRecord } from './platform.ts'

const KEY = 'a source key of 24 chars'
const md5 = (text: string) => hash('md5', text)

const record = (reference_number: string, version?: string | number | null): PlatformRecord => ({
  ...{ reference_number, full_name: 'Ann', data: {} },
  ...(version === undefined ? {} : { version }),
})
const RECORDS = [
  record('E-1', '2026-11-28 07:30:00.123456'),
  record('Zoë Łukasik 😀', 17),
  record(' padded ', -1),
  ...Array.from({ length: 300 }, (_, index) => record(`F-${index}`, index)),
]

type ModuleSource = PlatformModule extends infer Module
  ? Module extends unknown
    ? Omit<Module, 'name' | 'recordType' | 'fields'>
    : never
  : never

function serve(module: ModuleSource) {
  const errors: string[] = []
  const modules = [{ name: 'Employees', recordType: 'employee', fields: [], ...module }]
  const handler = createPlatformHandler(
    { name: 'hr', title: 'HR', sourceKey: KEY, modules },
    { onError: (error) => errors.push(String(error)) },
  )
  async function get(path: string, headers: Record<string, string> = {}) {
    const response = await handler(
      new Request(`http://any/api/hub/records/${path}`, {
        headers: { 'X-PLATFORM-API-KEY': KEY, ...headers },
      }),
    )
    assert.ok(response)
    return response
  }
  return { get, errors }
}

type Body = {
  success: boolean
  message?: string
  prefix?: string
  digits?: number
  total?: number
  buckets: [string, number, number][]
  records: PlatformRecord[]
}
async function bodyOf(response: Response): Promise<Body> {
  return JSON.parse(await response.text())
}

/** The definition of the guide, computed with BigInt. */
function expectedBuckets(records: PlatformRecord[], digits: number): [string, number, number][] {
  const buckets = new Map<string, { count: number; sum: bigint }>()
  for (const { reference_number, version } of records) {
    const prefix = md5(reference_number).slice(0, digits)
    const { count, sum } = buckets.get(prefix) ?? { count: 0, sum: 0n }
    const added = BigInt(`0x${md5(`${reference_number}\u001f${version}`).slice(0, 12)}`)
    buckets.set(prefix, { count: count + 1, sum: (sum + added) % 2n ** 48n })
  }
  const triples = Array.from(buckets, ([prefix, { count, sum }]): [string, number, number] => {
    return [prefix, count, Number(sum)]
  })
  return triples.sort()
}

const startsWith = (...prefixes: string[]) =>
  RECORDS.filter((one) => prefixes.some((prefix) => md5(one.reference_number).startsWith(prefix)))

test('the version of a record is sent beside its data, and one that is empty is left out', async () => {
  const records = [record('E-1', 'v1'), record('E-2', 2), record('E-3', null), record('E-4', '')]
  const { get } = serve({ records: () => records })
  const sent = (await bodyOf(await get('employee'))).records
  assert.deepEqual(
    sent.map(({ version }) => version),
    ['v1', 2, undefined, undefined],
  )
})

for (const version of [1.5, 2 ** 53, 'x'.repeat(513), '\ud800']) {
  test(`a version that the hub cannot compare names its record: ${String(version).slice(0, 9)}`, async () => {
    const { get, errors } = serve({ records: () => [record('E-7', version)] })
    assert.equal((await get('employee')).status, 500)
    assert.match(errors.join(), /E-7.*version/)
  })
}

test('the kit computes a digest from the records that it streams', async () => {
  const { get } = serve({ records: () => RECORDS })
  for (const digits of [1, 2, 5]) {
    const { buckets, ...rest } = await bodyOf(await get(`employee/digest?digits=${digits}`))
    assert.deepEqual(buckets.sort(), expectedBuckets(RECORDS, digits))
    assert.deepEqual(rest, { success: true, platform_name: 'hr', record_type: 'employee', digits })
  }
})

test('the digest of some prefixes has their buckets only', async () => {
  const { get } = serve({ records: () => RECORDS })
  const { buckets } = await bodyOf(await get('employee/digest?digits=3&prefix=3,a'))
  assert.deepEqual(buckets.sort(), expectedBuckets(startsWith('3', 'a'), 3))
})

test('a digest reads all pages of a module', async () => {
  const { get } = serve({
    pages: (cursor) => {
      const start = Number(cursor ?? 0)
      const next = start + 100 < RECORDS.length ? String(start + 100) : null
      return { records: RECORDS.slice(start, start + 100), next, total: RECORDS.length }
    },
  })
  const { buckets } = await bodyOf(await get('employee/digest?digits=1'))
  assert.deepEqual(buckets.sort(), expectedBuckets(RECORDS, 1))
  const part = await get('employee?prefix=7')
  assert.equal(part.headers.get('link'), null)
  assert.deepEqual((await bodyOf(part)).records, startsWith('7'))
})

test('a prefix selects records, and the response repeats it and counts them', async () => {
  const { get } = serve({ records: () => RECORDS, version: () => '1' })
  const response = await get('employee?prefix=3f,a,3f')
  assert.equal(response.headers.get('etag'), null, 'an ETag belongs to the whole module')
  const { records, prefix, total } = await bodyOf(response)
  const expected = startsWith('3f', 'a')
  assert.deepEqual(records, expected)
  assert.deepEqual({ prefix, total }, { prefix: '3f,a,3f', total: expected.length })
  const none = await bodyOf(await get('employee?prefix=01234567'))
  assert.deepEqual([none.records, none.prefix, none.total], [[], '01234567', 0])
})

test('a platform may compute both itself', async () => {
  const requests: unknown[] = []
  const buckets: DigestBucket[] = [
    ['3f4', '2', '281474976710657'],
    ['a01', 1n, 2n ** 64n + 5n],
    ['fff', 1, 0],
  ]
  const { get } = serve({
    records: () => assert.fail('all records are read'),
    digest: ({ digits, prefixes }) => {
      requests.push({ digits, prefixes })
      return buckets
    },
    recordsByPrefix: (prefixes) => {
      requests.push(prefixes)
      return [record('E-1', 1)]
    },
  })
  const { buckets: sent } = await bodyOf(await get('employee/digest?digits=3&prefix=3f4,a,fff'))
  assert.deepEqual(sent, [
    ['3f4', 2, 1],
    ['a01', 1, 5],
    ['fff', 1, 0],
  ])
  assert.equal((await bodyOf(await get('employee?prefix=3f4'))).records.length, 1)
  assert.deepEqual(requests, [{ digits: 3, prefixes: ['3f4', 'a', 'fff'] }, ['3f4']])
})

for (const bucket of [
  ['3f4', -1, 5],
  ['3f4', 1, 2 ** 60],
  ['3f4', 1, 0.5],
] satisfies DigestBucket[]) {
  test(`a digest that the hub could not compare fails: ${bucket.join(', ')}`, async () => {
    const { get, errors } = serve({ records: () => [], digest: () => [bucket] })
    assert.equal((await get('employee/digest?digits=3')).status, 500)
    assert.match(errors.join(), /digest of employee.*3f4/)
  })
}

test('there is no digest while a record has no version', async () => {
  let read = 0
  const { get } = serve({
    *records() {
      for (const one of [record('E-1', 1), record('E-2'), record('E-3', 3)]) {
        read += 1
        yield one
      }
    },
  })
  assert.equal((await get('employee/digest?digits=3')).status, 404)
  assert.equal(read, 2)
  const own = serve({ records: () => [], digest: () => null })
  assert.equal((await own.get('employee/digest?digits=3')).status, 404)
})

test('wrong parameters get 400 with the reason, and unknown modules 404', async () => {
  const { get } = serve({ records: () => RECORDS })
  for (const path of [
    'employee/digest',
    'employee/digest?digits=9',
    'employee/digest?digits=2&prefix=3f4',
    'employee?prefix=',
    'employee?prefix=XYZ',
  ]) {
    const response = await get(path)
    assert.equal(response.status, 400, path)
    assert.match((await bodyOf(response)).message ?? '', /digit|prefix/)
  }
  assert.equal((await get('nobody/digest?digits=3')).status, 404)
  assert.equal((await get('employee/digests?digits=3')).status, 404)
})

test('a digest is compressed as a list is', async () => {
  const { get } = serve({ records: () => RECORDS })
  const response = await get('employee/digest?digits=2', { 'Accept-Encoding': 'gzip' })
  assert.equal(response.headers.get('content-encoding'), 'gzip')
  const { buckets } = JSON.parse(gunzipSync(await response.arrayBuffer()).toString())
  assert.deepEqual(buckets.sort(), expectedBuckets(RECORDS, 2))
})

test('a scan ends when the hub disconnects', async () => {
  const client = new AbortController()
  let read = 0
  const handler = createPlatformHandler({
    ...{ name: 'hr', title: 'HR', sourceKey: KEY },
    modules: [
      {
        ...{ name: 'Employees', recordType: 'employee', fields: [] },
        *records() {
          for (;;) {
            if (read === 5000) client.abort()
            yield record(`E-${read++}`, 1)
          }
        },
      },
    ],
  })
  const url = 'http://any/api/hub/records/employee/digest?digits=1'
  const headers = { 'X-PLATFORM-API-KEY': KEY }
  const response = await handler(new Request(url, { headers, signal: client.signal }))
  assert.equal(response?.status, 500)
})
