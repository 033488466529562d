/** The change feed. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { ChangesResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers } from '../helpers/hub/response.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { deleteRecord } from '../helpers/storage/changes.ts'

describeHub('the change feed', (hub) => {
  let platform = ''
  let key = ''
  before(async () => {
    const modules = [simulatedModule('cases'), simulatedModule('people')]
    const registered = await hub.registerPushing({ modules })
    platform = registered.platform_name
    key = registered.hub_api_key
    for (let n = 0; n < 7; n++) await hub.push(key, newRecord(`N-${n}`))
    await hub.push(key, newRecord('P-1', { record_type: 'people' }))
  })
  const read = async (query: Record<string, string> = {}) =>
    expectBody(await hub.get(`/api/v1/changes?${new URLSearchParams(query)}`), 200, ChangesResponse)
  const referencesOf = ({ changes }: ChangesResponse) =>
    changes.map((entry) => entry.record?.reference_number)

  test('an entry has the record, the kind of change and a cursor', async () => {
    const { changes, has_more } = await read({ limit: '1' })
    assert.equal(has_more, true)
    const [entry] = changes
    assert.ok(entry?.record)
    expectMembers(entry, [
      ...['cursor', 'change', 'at', 'record_id', 'platform_name', 'record_type', 'record'],
    ])
    assert.equal(entry.change, 'created')
    assert.equal(entry.at, entry.record.updated_at)
    const { record } = JSON.parse((await hub.get(`/api/v1/records/${entry.record_id}`)).text)
    assert.deepEqual(entry.record, record)
  })

  test('reading continues from the cursor of a page, of an entry or of the end of the feed', async () => {
    const all = await read()
    assert.equal(all.changes.length, 8)
    const paged: unknown[] = []
    let since = '0'
    for (;;) {
      const page = await read({ since, limit: '3' })
      paged.push(...page.changes)
      since = page.next_cursor
      if (!page.has_more) break
    }
    assert.deepEqual(paged, all.changes)
    const third = all.changes[2]
    assert.ok(third)
    assert.deepEqual((await read({ since: third.cursor })).changes, all.changes.slice(3))
    assert.deepEqual(referencesOf(await read({ platform, record_type: 'people' })), ['P-1'])
    assert.deepEqual(await read({ since }), {
      success: true,
      changes: [],
      next_cursor: since,
      has_more: false,
    })
    await hub.push(key, newRecord('N-3', { data: { status: 'new' } }))
    const next = await read({ since })
    assert.deepEqual(referencesOf(next), ['N-3'])
    assert.equal(next.changes[0]?.change, 'updated')
    assert.equal((await read()).changes.length, 8, 'a record appears only at its latest change')
  })

  test('a cursor stays valid after the hub restarts', async () => {
    const { next_cursor: since } = await read()
    await hub.push(key, newRecord('N-1', { data: { status: 'late' } }))
    await hub.restart()
    assert.deepEqual(referencesOf(await read({ since })), ['N-1'])
  })

  test('a deleted record appears as an entry without a record', async () => {
    const { changes, next_cursor: since } = await read()
    const [first] = changes
    assert.ok(first)
    await hub.push(key, newRecord('N-6'))
    const { next_cursor } = await read({ since })
    const { record_id } = first
    await deleteRecord(hub.storage, { record_id, change_seq: Number(next_cursor) })
    const afterDeletion = await read({ since })
    assert.deepEqual(afterDeletion.changes, [
      {
        cursor: next_cursor,
        change: 'deleted',
        at: '2026-03-10T09:00:00.000Z',
        record_id,
        platform_name: platform,
        record_type: 'cases',
      },
    ])
  })

  test('a cursor ahead of the feed returns 409, and a request without a token 401', async () => {
    const { next_cursor } = await read()
    const ahead = await hub.get(`/api/v1/changes?since=${Number(next_cursor) + 1}`)
    expectError(ahead, 409, 'cursor_beyond')
    expectError(await hub.send({ url: '/api/v1/changes' }), 401, 'not_signed_in')
  })
})
