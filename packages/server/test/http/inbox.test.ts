/** The inbox: items of real faults, and putting them aside. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Inbox, InboxItem } from '@recordhub/protocol'
import Type from 'typebox'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

const ItemResponse = Type.Object({ item: InboxItem })

async function readItems(hub: TestHub, platformName: string): Promise<InboxItem[]> {
  const { items } = expectBody(await hub.get('/api/v1/inbox'), 200, Inbox)
  return items.filter(({ platform }) => platform?.platform_name === platformName)
}

function post(hub: TestHub, path: string, body: object, role: 'viewer' | 'operator' = 'operator') {
  const headers = { authorization: hub.authorization(role) }
  return hub.send({ method: 'POST', url: `/api/v1/inbox/${path}`, headers, body })
}

describeHub('the inbox', { withOperator: true }, (hub) => {
  test('rejected pushes are an item, acknowledged until the next one, and gone when dismissed', async () => {
    const platform = await hub.registerPushing()
    const name = platform.platform_name
    await hub.sendRejectedPush(platform, newRecord('R-1', { data: 1 }))
    const { key, title, rejected } = only(await readItems(hub, name))
    assert.equal(title, '1 push of cases rejected: invalid content')
    assert.equal(rejected?.count, 1)
    const { inbox } = await hub.snapshot()
    assert.ok(inbox.items.some((item) => item.key === key))
    const { item } = expectBody(await post(hub, 'put-aside', { key }), 200, ItemResponse)
    assert.equal(item.put_aside?.as, 'acknowledged')
    await hub.sendRejectedPush(platform, newRecord('R-2', { data: 1 }))
    assert.equal(only(await readItems(hub, name)).put_aside, null)
    const url = `/api/v1/rejected-pushes?platform=${name}&cause=${rejected?.cause}`
    const headers = { authorization: hub.authorization('operator') }
    assert.equal((await hub.send({ method: 'DELETE', url, headers })).status, 200)
    assert.deepEqual(await readItems(hub, name), [])
    expectError(await post(hub, 'put-aside', { key }), 404, 'not_found')
  })

  test('an item is snoozed until a time that is still to come, and can be opened again', async () => {
    const platform = await hub.registerPushing()
    await hub.sendRejectedPush(platform, newRecord('R-1', { data: 1 }))
    const { key } = only(await readItems(hub, platform.platform_name))
    for (const until of ['2020-01-01T00:00:00Z', '9999-01-01T00:00:00Z']) {
      expectError(await post(hub, 'put-aside', { key, until }), 400, 'invalid_request')
    }
    const until = new Date(Date.now() + 3_600_000).toISOString()
    expectError(await post(hub, 'put-aside', { key, until }, 'viewer'), 403, 'forbidden')
    await post(hub, 'put-aside', { key, until })
    const { put_aside } = only(await readItems(hub, platform.platform_name))
    assert.deepEqual([put_aside?.as, put_aside?.until], ['snoozed', until])
    const { item } = expectBody(await post(hub, 'reopen', { key }), 200, ItemResponse)
    assert.equal(item.put_aside, null)
    expectError(await post(hub, 'reopen', { key }), 404, 'not_found')
  })
})
