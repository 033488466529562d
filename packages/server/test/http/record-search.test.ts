/** Searching, filtering and sorting records over HTTP; indexed fields; saved views. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import {
  type ActivityEntry,
  DataFieldsResponse,
  FacetsResponse,
  RecordPage,
} from '@recordhub/protocol'
import type { Role } from '../../src/domain/auth/caller.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { sendOverSocket } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers } from '../helpers/hub/response.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { untilTrue } from '../helpers/time/until.ts'

const INDEXED_FIELDS = '/api/v1/platforms/:id/modules/:record_type/indexed-fields'

describeHub('searching records', (hub) => {
  let platform: RegisteredPlatform & { platform_name: string }
  before(async () => {
    const fields = [
      { key: 'status', label: 'Status', type: 'string', required: false },
      { key: 'amount', label: 'Amount', type: 'number', required: false },
    ]
    platform = await hub.registerPushing({
      modules: [{ ...simulatedModule('cases'), fields }],
    })

    for (const [reference, full_name, data] of [
      ['C-1', 'Ann Example', '{"status":"open","amount":9}'],
      ['C-2', 'Bob Beispiel', '{"status":"Open","amount":10.50}'],
      ['C-3', '王 小明', '{"status":"closed","amount":9007199254740993}'],
      ['C-4', 'Zoë', '{"status":null,"amount":9007199254740992}'],
      ['C-5', 'Ann Other', '{"amount":"-1e3"}'],
    ] as const) {
      const body = JSON.stringify(newRecord(reference, { full_name, data: 'DATA' }))
      const response = await hub.push(platform.hub_api_key, body.replace('"DATA"', data))
      assert.equal(response.status, 201)
    }
  })
  const send = (
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    url: string,
    body?: object,
    role: Role = 'operator',
  ) => hub.callAs(role, method, url, body)
  const erase = (record_id = 0) => {
    const request = { params: { record_id }, body: { mode: 'erase' } } as const
    return hub.call('POST /api/v1/records/:record_id/erase', request)
  }
  const list = async (query: Record<string, string>) => {
    const params = new URLSearchParams({ sort: 'reference_number', ...query })
    return expectBody(await hub.get(`/api/v1/records?${params}`), 200, RecordPage)
  }
  const search = async (query: Record<string, string>) =>
    (await list(query)).records.map((record) => record.reference_number)

  test('a search finds words in names and values and returns the lag of the index', async () => {
    await hub.untilIndexed()
    assert.deepEqual(await search({ q: 'ann' }), ['C-1', 'C-5'])
    assert.deepEqual(await search({ q: '"ann example" open' }), ['C-1'])
    assert.deepEqual(await search({ q: '王' }), ['C-3'])
    assert.deepEqual(await search({ q: 'zoe' }), ['C-4'])
    const page = await list({ q: '10.5' })
    assert.deepEqual([page.search_lag, page.complete], [0, true])
    assert.equal((await list({})).search_lag, null)
  })

  test('the cursors of a page that became empty lead back to the remaining records', async () => {
    const own = await hub.registerPushing()
    const { platform_name } = own
    for (const sort of ['record_id', '-record_id', 'full_name', '-data.n']) {
      for (const n of [1, 2, 3]) {
        const response = await hub.push(own.hub_api_key, newRecord(`T-${n}`, { data: { n } }))
        assert.ok(response.status < 300)
      }
      const one = (cursor: string | null) =>
        list({ platform: platform_name, sort, limit: '1', ...(cursor ? { cursor } : {}) })
      const idOf = (page: RecordPage) => page.records[0]?.record_id
      const first = await one(null)
      const second = await one(first.next_cursor)
      const third = await one(second.next_cursor)
      await erase(idOf(third))
      const emptied = await one(second.next_cursor)
      assert.deepEqual([emptied.records, emptied.next_cursor], [[], null])
      assert.equal(idOf(await one(emptied.previous_cursor)), idOf(second), sort)
      await erase(idOf(first))
      const before = await one(second.previous_cursor)
      assert.deepEqual([before.records, before.previous_cursor], [[], null])
      assert.equal(idOf(await one(before.next_cursor)), idOf(second), sort)
      await erase(idOf(second))
      const { tombstones } = await hub.call('GET /api/v1/tombstones')
      for (const params of tombstones) await hub.call('DELETE /api/v1/tombstones/:id', { params })
    }
  })

  test('records are sorted by very long names, page by page, over a real connection', async () => {
    const own = await hub.registerPushing()
    const { platform_name } = own
    for (const end of ['c', 'a', 'b']) {
      const full_name = `${'\u0001'.repeat(30_000)}${end}`
      const response = await hub.push(own.hub_api_key, newRecord(`N-${end}`, { full_name }))
      assert.equal(response.status, 201)
    }
    for (const [sort, expected] of [
      ['full_name', ['N-a', 'N-b', 'N-c']],
      ['-full_name', ['N-c', 'N-b', 'N-a']],
    ] as const) {
      const params = new URLSearchParams({ platform: platform_name, sort, limit: '1' })
      const seen: string[] = []
      const headers = { authorization: hub.authorization('viewer') }
      for (let cursor: string | null = ''; cursor !== null; ) {
        const url = `/api/v1/records?${params}${cursor && `&cursor=${cursor}`}`
        const response = await sendOverSocket(hub, { url, headers })
        const page: RecordPage = expectBody(response, 200, RecordPage)
        seen.push(...page.records.map((record) => record.reference_number))
        cursor = page.next_cursor
      }
      assert.deepEqual(seen, expected)
    }
  })

  test('a modified cursor returns 400', async () => {
    const page = await list({ sort: 'full_name', limit: '1' })
    const position: object = JSON.parse(Buffer.from(page.next_cursor ?? '', 'base64url').toString())
    for (const value of ['a\u0000', 7, null, '\ud800']) {
      const changed = { ...position, value }
      const text = Buffer.from(JSON.stringify(changed)).toString('base64url')
      const response = await hub.get(`/api/v1/records?sort=full_name&cursor=${text}`)
      expectError(response, 400, 'invalid_request')
    }
  })

  test('indexed fields are built in the background, and changing them is logged and audited once', async () => {
    const params = { id: platform.id, record_type: 'cases' }
    const choice = { params, body: { fields: ['amount', 'status'] } }
    const changed = await hub.call(`PUT ${INDEXED_FIELDS}`, choice)
    assert.equal(changed.fields.map(({ key }) => key).join(), 'amount,status')
    await untilTrue('the indexes are built', async () => {
      const { fields } = await hub.call(`GET ${INDEXED_FIELDS}`, { params })
      return fields.every((field) => field.is_built)
    })
    await hub.untilIndexed()
    const query = { platform: platform.platform_name, record_type: 'cases' }
    assert.deepEqual(await search({ ...query, sort: '-data.amount' }), [
      'C-3',
      'C-4',
      'C-2',
      'C-1',
      'C-5',
    ])
    assert.deepEqual(await search({ ...query, sort: 'data.status' }), [
      'C-2',
      'C-3',
      'C-1',
      'C-4',
      'C-5',
    ])
    assert.deepEqual(await search({ ...query, 'filter[amount]': '10.5' }), ['C-2'])
    await hub.call(`PUT ${INDEXED_FIELDS}`, choice)
    const entries = (await hub.activity()).filter((one) => one.kind === 'module.indexed_fields')
    assert.equal(only<ActivityEntry>(entries).platform_name, platform.platform_name)
    const audited = await hub.sql(`SELECT * FROM audit WHERE action = 'module.indexed_fields'`)
    assert.equal(only(audited)['target'], platform.platform_name)
  })

  test('a filter accepts the values of its field and no others, in lists, exports and views', async () => {
    const { platform_name } = platform
    for (const [name, value] of [
      ['filter[amount]', '1,000'],
      ['filter[amount][after]', 'abc'],
      ['filter[data.amount][before]', ''],
      ['filter[hub_updated_at][after]', 'yesterday'],
      ['filter[hub_created_at][before]', '2026-11-25T08:19'],
    ] as const) {
      const query = new URLSearchParams({ platform: platform_name, [name]: value }).toString()
      for (const response of [
        await hub.get(`/api/v1/records?${query}`),
        await hub.get(`/api/v1/records/export?format=csv&${query}`),
        await send('POST', '/api/v1/views', { name: 'x', query }),
      ]) {
        const { errors, message } = expectError(response, 400, 'invalid_request')
        assert.deepEqual(Object.keys(errors ?? {}), [name])
        assert.match(message, /must be a /)
      }
    }
    const filtered = async (query: string) => {
      const url = `/api/v1/records?sort=reference_number&platform=${platform_name}&${query}`
      const { records } = expectBody(await hub.get(url), 200, RecordPage)
      return records.map((record) => record.reference_number)
    }
    const ranges = 'filter[amount][after]=1&filter[amount][after]=10&filter[amount][before]=11'
    assert.deepEqual(await filtered(ranges), ['C-2'])
    const parts = 'filter[status][contains]=o&filter[status][contains]=d'
    assert.deepEqual(await filtered(parts), ['C-3'])
    const since = 'filter[hub_created_at][after]=2026-01-01T00:00-09:00&filter[status]='
    assert.deepEqual(await filtered(since), [])
  })

  test('the values of a list are counted, and the paths of a module listed', async () => {
    const facets = await hub.get('/api/v1/records/facets?facet=status&facet=data.none&q=ann')
    const counted = expectBody(facets, 200, FacetsResponse)
    const listed = expectBody(await hub.get('/api/v1/records?q=ann'), 200, RecordPage).records
    assert.ok(listed.length > 0 && counted.complete)
    const [status, none] = counted.facets
    const counts = status?.values?.map(({ records }) => records) ?? []
    const sum = counts.reduce((total, one) => total + one, status?.empty ?? 0)
    assert.equal(sum, listed.length)
    assert.deepEqual(none, { path: 'none', values: [], empty: listed.length })

    const path = `/api/v1/platforms/${platform.id}/modules/cases/fields`
    const { fields, examined, complete } = expectBody(await hub.get(path), 200, DataFieldsResponse)
    assert.ok(examined > 0 && complete)
    assert.equal(fields.find((one) => one.path === 'status')?.in_manifest, true)
    for (const unknown of [
      path.replace('cases', 'x'),
      '/api/v1/platforms/999/modules/cases/fields',
    ]) {
      expectError(await hub.get(unknown), 404, 'not_found')
    }
  })

  test('a private view is created, changed, deleted and audited, and its query works on the list', async () => {
    const query = '?q=ann&filter[status][contains]=open&sort=-updated_at'
    const created = { as: 'viewer', body: { name: 'Open', query } } as const
    const { view } = await hub.call('POST /api/v1/views', created)
    expectMembers(view, ['id', 'name', 'query', 'shared', 'own', 'created_at', 'updated_at'])
    assert.deepEqual([view.name, view.shared, view.own], ['Open', false, true])
    const listed = await hub.get(`/api/v1/records?${view.query}`)
    const [record] = expectBody(listed, 200, RecordPage).records
    assert.equal(record?.reference_number, 'C-1')
    const conflict = await send('POST', '/api/v1/views', { name: 'Open', query: '' }, 'viewer')
    expectError(conflict, 409, 'view_name_taken')
    const url = `/api/v1/views/${view.id}`
    expectError(await send('PATCH', url, { name: 'Mine' }, 'operator'), 404, 'not_found')
    const shown = 'q=closed&columns=hub_full_name&columns=data.status&facets=status'
    const change = { params: view, body: { name: 'Closed', query: shown } }
    const { view: after } = await hub.call('PATCH /api/v1/views/:id', { ...change, as: 'viewer' })
    assert.deepEqual([after.name, after.query, after.id], ['Closed', shown, view.id])
    assert.deepEqual(await viewsOf('operator'), [])
    await hub.call('DELETE /api/v1/views/:id', { params: view, as: 'viewer' })
    expectError(await send('DELETE', url, undefined, 'viewer'), 404, 'not_found')
    const audited = await hub.sql(
      `SELECT action FROM audit WHERE action LIKE 'view.%' ORDER BY audit_id`,
    )
    assert.deepEqual(
      audited.map((row) => row['action']),
      ['view.created', 'view.changed', 'view.deleted'],
    )
  })

  test('a shared view is visible to all, created by operators, and changed by its owner and admins', async () => {
    const body = { name: 'All', query: 'sort=full_name', shared: true }
    expectError(await send('POST', '/api/v1/views', body, 'viewer'), 403, 'forbidden')
    const { view } = await hub.call('POST /api/v1/views', { body, as: 'operator' })
    assert.equal(only(await viewsOf('viewer')).own, false)
    const url = `/api/v1/views/${view.id}`
    expectError(await send('PATCH', url, { name: 'x' }, 'viewer'), 403, 'forbidden')
    const change = { params: view, body: { shared: false } }
    assert.equal((await hub.call('PATCH /api/v1/views/:id', change)).view.own, false)
    assert.deepEqual(await viewsOf('viewer'), [])
    await hub.call('DELETE /api/v1/views/:id', { params: view, as: 'operator' })
  })

  for (const [what, body] of [
    ['a query that the list rejects', { name: 'x', query: 'filter[a][like]=1' }],
    ['an unsupported parameter', { name: 'x', query: 'limit=5' }],
    ['a repeated parameter', { name: 'x', query: 'q=a&q=b' }],
    ['an empty name', { name: '', query: '' }],
    ['a name with U+0000', { name: 'a\u0000', query: '' }],
    ['a query of 5000 characters', { name: 'x', query: 'x'.repeat(5000) }],
  ] as const) {
    test(`a view with ${what} is rejected`, async () => {
      expectError(await send('POST', '/api/v1/views', body), 400, 'invalid_request')
    })
  }

  const viewsOf = async (role: Role) => (await hub.call('GET /api/v1/views', { as: role })).views
})

describeHub('what a search matched', { engines: 'both' }, (hub) => {
  test('each record of a list with q has the values that contain its terms, those of other lists have none', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const data = { title: 'The Blue Boathouse', makers: [{ role: 'painter' }] }
    await hub.push(hub_api_key, newRecord('O-1', { full_name: 'Ann Blue', data }))
    await hub.untilIndexed()
    const matchesOf = async (query: string) => {
      const page = expectBody(await hub.get(`/api/v1/records?${query}`), 200, RecordPage)
      return only(page.records).matches
    }
    const title = { column: 'data.title', text: data.title, ranges: [[9, 18]] }
    const role = { column: 'data.makers[].role', text: 'painter', ranges: [[0, 5]] }
    assert.deepEqual(await matchesOf('q=boathouse+paint'), [title, role])
    assert.deepEqual(await matchesOf('q=blue'), [
      { column: 'hub_full_name', text: 'Ann Blue', ranges: [[4, 8]] },
    ])
    assert.equal(await matchesOf('reference_number=O-1'), undefined)
    assert.equal(await matchesOf('q='), undefined)
  })
})
