/** Reading records, their history, the activity and rejected pushes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  ActivityEntry,
  HistoryEntry,
  PushResponse,
  RecordPage,
  RejectedPush,
  type StoredRecord,
} from '@recordhub/protocol'
import Type from 'typebox'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers, expectObject } from '../helpers/hub/response.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'

const RECORD_MEMBERS = [
  ...['record_id', 'platform_name', 'module_name', 'record_type', 'reference_number', 'full_name'],
  ...['data', 'incomplete', 'missing_since', 'missing_reason', 'created_at', 'updated_at'],
]
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const nullable = Type.Union([Type.String(), Type.Null()])
const COUNT = 23
const BEYOND = JSON.rawJSON('1e400')

/** Replaces members of a cursor's position. */
function changeCursor(cursor: string, changes: Record<string, unknown>): string {
  const position: object = JSON.parse(Buffer.from(cursor, 'base64url').toString())
  return Buffer.from(JSON.stringify({ ...position, ...changes })).toString('base64url')
}

describeHub('reading records', (hub) => {
  let platform = ''
  let key = ''
  before(async () => {
    const modules = [simulatedModule('cases'), simulatedModule('people')]
    const registered = await hub.registerPushing({ modules })
    platform = registered.platform_name
    key = registered.hub_api_key
    // Names and references are not in the order of the ids, and some names are equal.
    const numbers = Array.from({ length: COUNT }, (_, index) => (index * 7) % COUNT)
    for (const number of numbers) {
      const full_name = `Name ${number % 5}`
      await hub.push(key, newRecord(`N-${number}`, { full_name }))
    }
    for (const number of [3, 1, 2]) {
      await hub.push(key, newRecord(`N-${number}`, { data: { status: 'again' } }))
    }
    await hub.push(key, newRecord('P-1', { record_type: 'people' }))
    await hub.push((await hub.registerPushing()).hub_api_key, newRecord('N-1'))
  })
  const read = async (query: Record<string, string>) => {
    const response = await hub.get(`/api/v1/records?${new URLSearchParams(query)}`)
    return expectBody(response, 200, RecordPage)
  }

  test('a record has the specified members, alone and in a list', async () => {
    const response = await hub.get('/api/v1/records?limit=1')
    expectMembers(expectObject(response, 200), [
      ...['success', 'records', 'next_cursor', 'previous_cursor', 'complete'],
      ...['estimated_total', 'total_is_estimate', 'search_lag'],
    ])
    const [record] = expectBody(response, 200, RecordPage).records
    assert.ok(record)
    expectMembers(record, RECORD_MEMBERS)
    assert.match(record.created_at, TIMESTAMP)
    assert.match(record.updated_at, TIMESTAMP)
    const alone = await hub.get(`/api/v1/records/${record.record_id}`)
    assert.deepEqual(JSON.parse(alone.text), { success: true, record })
  })

  test('a changed cursor returns 400', async () => {
    for (const [sort, changes] of [
      ['record_id', { value: 'text' }],
      ['full_name', { value: 1 }],
      ['full_name', { value: null }],
      ['data.status', { value: 1 }],
      ['record_id', { record_id: undefined }],
      ['record_id', { record_id: 1.5 }],
      ['record_id', { value: BEYOND }],
      ['record_id', { list: 'list' }],
    ] satisfies [string, Record<string, unknown>][]) {
      const query = { platform, record_type: 'cases', sort, limit: '2' }
      const { next_cursor } = await read(query)
      const cursor = changeCursor(next_cursor ?? '', changes)
      const params = new URLSearchParams({ ...query, cursor })
      const error = expectError(await hub.get(`/api/v1/records?${params}`), 400, 'invalid_request')
      assert.deepEqual(Object.keys(error.errors ?? {}), ['cursor'])
    }
  })

  test('a cursor is valid only for its filter and sort order', async () => {
    const query = { platform, sort: 'record_id', limit: '2' }
    const cursor = (await read(query)).next_cursor ?? ''
    await read({ ...query, limit: '3', cursor })
    for (const other of [
      { sort: '-record_id' },
      { sort: 'created_at' },
      { record_type: 'cases' },
      { q: 'name' },
      { 'filter[status]': 'open' },
    ]) {
      const params = new URLSearchParams({ ...query, ...other, cursor })
      expectError(await hub.get(`/api/v1/records?${params}`), 400, 'invalid_request')
    }
  })

  test('a list starts again when its module is removed, or has fields of other types', async () => {
    const register = async (type: string) => {
      const fields = [{ key: 'n', label: 'N', type, required: false }]
      const modules = [{ ...simulatedModule('sorted'), fields }]
      const registered = await hub.registerPushing({ modules })
      for (const n of [9, 10, 11]) {
        const pushed = newRecord(`S-${n}`, { record_type: 'sorted', data: { n } })
        await hub.push(registered.hub_api_key, pushed)
      }
      return registered
    }
    const removed = await register('number')
    const ofRemoved = { platform: removed.platform_name }
    const ofType = { record_type: 'sorted' }
    const lists = [
      { ...ofType, sort: 'data.n' },
      { ...ofType, sort: 'record_id', 'filter[n][after]': '9' },
      { ...ofType, sort: 'record_id' },
      { ...ofRemoved, sort: '-data.n' },
      { ...ofRemoved, sort: 'full_name' },
    ]
    const cursors: Record<string, string>[] = []
    for (const query of lists) {
      const first = await read({ ...query, limit: '1' })
      cursors.push({ ...query, cursor: first.next_cursor ?? '' })
    }
    const outcomes = async () => {
      const codes: string[] = []
      for (const query of cursors) {
        const response = await hub.get(`/api/v1/records?${new URLSearchParams(query)}`)
        codes.push(
          response.status === 200 ? 'page' : expectError(response, 409, 'list_changed').code,
        )
      }
      return codes
    }
    const other = await register('decimal')
    assert.deepEqual(await outcomes(), Array(5).fill('page'))
    await register('string')
    const changed = 'list_changed'
    assert.deepEqual(await outcomes(), [changed, changed, 'page', 'page', 'page'])
    const { id, platform_name } = removed
    const removal = await hub.callAs('operator', 'DELETE', `/api/v1/platforms/${id}`, {
      platform_name,
    })
    assert.equal(removal.status, 202, removal.text)
    assert.deepEqual(await outcomes(), Array(5).fill(changed))
    const { records } = await read({ platform: other.platform_name, ...ofType })
    assert.equal(records.length, 3)
  })

  test('pages are read forwards and backwards, and the first page has no previous cursor', async () => {
    const query = { platform, record_type: 'cases', sort: 'full_name', limit: '7' }
    const pages: StoredRecord[][] = []
    let page = await read(query)
    assert.equal(page.previous_cursor, null)
    for (;;) {
      pages.push(page.records)
      if (page.next_cursor === null) break
      page = await read({ ...query, cursor: page.next_cursor })
    }
    assert.equal(pages.flat().length, COUNT)
    const back: StoredRecord[][] = [page.records]
    while (page.previous_cursor !== null) {
      page = await read({ ...query, cursor: page.previous_cursor })
      back.unshift(page.records)
    }
    assert.deepEqual(back, pages)
    const next = await read({ ...query, cursor: page.next_cursor ?? '' })
    assert.deepEqual(next.records, pages[1])
  })

  test('a history is returned in pages, newest first, each entry once with all its members', async () => {
    const { record_id } = expectBody(await hub.push(key, newRecord('H-2')), 201, PushResponse)
    const pushes = Array.from({ length: 104 }, (_, n) =>
      hub.push(key, newRecord('H-2', { data: { n } })),
    )
    await Promise.all(pushes)
    const last = await hub.push(key, newRecord('H-2', { full_name: 'Bea', data: { n: -1 } }))
    const Page = Type.Object({ history: Type.Array(HistoryEntry), next_cursor: nullable })
    const url = `/api/v1/records/${record_id}/history`
    const first = expectBody(await hub.get(url), 200, Page)
    const rest = expectBody(await hub.get(`${url}?cursor=${first.next_cursor}`), 200, Page)
    assert.equal(rest.next_cursor, null)
    const entries = [...first.history, ...rest.history]
    assert.equal(new Set(entries.map((entry) => entry.request_id)).size, 105)
    for (const entry of entries) {
      expectMembers(entry, [
        ...['change_seq', 'at', 'source', 'changes'],
        ...['pull_id', 'request_id', 'revert_id'],
      ])
      assert.match(entry.at, TIMESTAMP)
      assert.deepEqual([entry.source, entry.pull_id], ['POST', null])
    }
    const [newest] = entries
    assert.equal(newest?.request_id, last.header('x-request-id'))
    assert.deepEqual(newest.changes[0], {
      path: '/full_name',
      before: 'Ann Example',
      after: 'Bea',
    })
    expectError(await hub.get(`${url}?cursor=x`), 400, 'invalid_request')
  })

  test('the activity is returned in pages, newest first, each entry once with all its members', async () => {
    const Page = Type.Object({ activity: Type.Array(ActivityEntry), next_cursor: nullable })
    const entries: ActivityEntry[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const url = `/api/v1/activity?limit=10${cursor && `&cursor=${cursor}`}`
      const page: Type.Static<typeof Page> = expectBody(await hub.get(url), 200, Page)
      entries.push(...page.activity)
      cursor = page.next_cursor
    }
    const ids = entries.map((entry) => entry.id)
    assert.ok(ids.length > COUNT)
    assert.deepEqual(
      ids,
      [...new Set(ids)].sort((a, b) => b - a),
    )
    for (const entry of entries) {
      expectMembers(entry, [
        ...['id', 'at', 'level', 'kind', 'platform_name', 'record_id', 'actor', 'message'],
        'details',
      ])
    }
    const mine = await hub.get(`/api/v1/activity?platform=${platform}&level=error`)
    assert.deepEqual(expectBody(mine, 200, Page).activity, [])
  })

  test('rejected pushes are returned in pages, newest first, each once with all its members', async () => {
    for (let n = 0; n < 7; n++) await hub.push(key, newRecord(`X-${n}`, { data: n }))
    await hub.push(key, newRecord('X-8', { record_type: 'ghosts' }))
    const Page = Type.Object({ rejected_pushes: Type.Array(RejectedPush), next_cursor: nullable })
    const found: RejectedPush[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const query = new URLSearchParams({ platform, limit: '3', ...(cursor && { cursor }) })
      const response = await hub.get(`/api/v1/rejected-pushes?${query}`)
      const page: Type.Static<typeof Page> = expectBody(response, 200, Page)
      found.push(...page.rejected_pushes)
      cursor = page.next_cursor
    }
    const references = found.map((one) => referenceOf(one.body))
    assert.deepEqual(
      references,
      [8, 6, 5, 4, 3, 2, 1, 0].map((n) => `X-${n}`),
    )
    for (const one of found) {
      expectMembers(one, [
        ...['id', 'first_at', 'at', 'count', 'platform_name', 'record_type', 'method', 'code'],
        ...['message', 'errors', 'cause', 'body', 'pull_id', 'request_id'],
        ...['replayed_at', 'replayed_by', 'replay_outcome', 'record_id'],
        ...['accepted_at', 'accepted_by'],
      ])
    }
    const [newest] = found
    for (const filter of ['code=module_not_registered', `since=${newest?.at}&limit=1`]) {
      const filtered = await hub.get(`/api/v1/rejected-pushes?${filter}`)
      assert.equal(expectBody(filtered, 200, Page).rejected_pushes[0]?.id, newest?.id)
    }
    const later = await hub.get('/api/v1/rejected-pushes?since=9999-01-01T00:00:00Z')
    assert.deepEqual(expectBody(later, 200, Page).rejected_pushes, [])
  })
})

function referenceOf(body: unknown): unknown {
  assert.ok(typeof body === 'object' && body !== null && 'reference_number' in body)
  return body.reference_number
}
