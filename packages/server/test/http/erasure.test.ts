/** Erasing a person's record, and rejecting later pushes of it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectError, type TestResponse } from '../helpers/hub/response.ts'
import { simulatedModule, simulatedRecord, simulatePlatform } from '../helpers/platform/platform.ts'
import type { StorageEngine } from '../helpers/storage/engine.ts'
import { only } from '../helpers/storage/fixtures.ts'

const REFERENCE = 'R-person-4711'
const PERSON = 'Person person-4711'

describeOnEngines('erasing a record', (engine) => {
  test('erasing is previewed, removes the record everywhere and blocks later pushes and pulls', async () => {
    await using kit = await startWithPerson(engine)
    const { hub, id, key, platform } = kit
    await hub.push(key, newRecord(REFERENCE, { data: { status: 'closed' } }))
    await hub.push(key, newRecord(REFERENCE, { data: 'none' }))
    const params = { record_id: id }
    const { erasure: preview } = await hub.call('GET /api/v1/records/:record_id/erasure', {
      params,
    })
    assert.equal(preview.reference_number, REFERENCE)
    const { history_entries, rejected_pushes, activity_entries } = preview
    assert.deepEqual([history_entries, rejected_pushes, activity_entries], [1, 1, 1])
    assert.match(preview.not_covered.join(' '), /[Bb]ackups/)

    const erased = await erase(hub, id)
    assert.deepEqual([erased.record_id, erased.mode, erased.history_entries], [id, 'erase', 1])
    await expectErased(kit)

    for (const method of ['POST', 'PATCH'] as const) {
      const response = await hub.push(key, newRecord(REFERENCE), method)
      const error = expectError(response, 410, 'record_erased')
      assert.equal(error.errors, undefined)
      assert.ok(!response.text.includes(REFERENCE))
    }
    await hub.push(key, newRecord(REFERENCE, { data: 'none' }))
    const { pull } = await hub.pullAll()
    assert.equal(pull.state, 'succeeded')
    assert.deepEqual([pull.counts.rejected, pull.counts.missing, pull.counts.created], [0, 0, 0])
    assert.equal(pull.counts.unchanged, platform.modules[0]?.records.length)
    await expectErased(kit)
    assert.deepEqual(await hub.rejected(platform.platform_name), [])

    await hub.push(key, { record_type: 'cases' })
    const rejected = only(await hub.rejected(platform.platform_name))
    const url = `/api/v1/rejected-pushes/${rejected.id}/replay`
    const replayed = await hub.callAs('admin', 'POST', url, { body: newRecord(REFERENCE) })
    expectError(replayed, 410, 'record_erased')
    await expectErased(kit)
    for (const url of [`records/${id}`, `records/${id}/history`, `records/${id}/erasure`]) {
      expectError(await hub.get(`/api/v1/${url}`), 404, 'not_found')
    }
    expectError(await tryErase(hub, id, { mode: 'erase' }), 404, 'not_found')
  })
})

describeOnEngines('erased and anonymised records', (engine) => {
  test('after its tombstone is deleted, the next pull stores the record again', async () => {
    await using kit = await startWithPerson(engine)
    const { hub, id } = kit
    await erase(hub, id)
    await hub.pullAll()
    const tombstone = only(await tombstonesOf(hub))
    assert.deepEqual(
      [tombstone.record_id, tombstone.mode, tombstone.actor.replace(/\d+/, '…')],
      [id, 'erase', 'token … (test admin)'],
    )
    await hub.call('DELETE /api/v1/tombstones/:id', { params: tombstone })
    const again = await hub.callAs('admin', 'DELETE', `/api/v1/tombstones/${tombstone.id}`)
    expectError(again, 404, 'not_found')
    assert.equal((await hub.pullAll()).pull.counts.created, 1)
  })

  test('erasing requires a valid mode, and an invalid request changes nothing', async () => {
    await using kit = await startWithPerson(engine)
    const { hub, id } = kit
    for (const body of [{}, { mode: 'burn' }, { mode: 'erase', force: true }, [], 'erase']) {
      expectError(
        await tryErase(hub, id, body),
        400,
        body === 'erase' ? 'invalid_json' : 'invalid_request',
      )
    }
    expectError(await tryErase(hub, 999_999, { mode: 'erase' }), 404, 'not_found')
    assert.deepEqual(await tombstonesOf(hub), [])
    assert.equal((await hub.get(`/api/v1/records/${id}`)).status, 200)
  })

  test('the audit entry has the record id and the reason, but no personal data', async () => {
    await using kit = await startWithPerson(engine)
    const { hub, id } = kit
    await erase(hub, id, 'request 12 of May')
    const audit = await hub.sql(`SELECT * FROM audit WHERE action = 'record.erase'`)
    const entry = only(audit)
    assert.equal(entry['target'], `record ${id}`)
    assert.match(String(entry['details']), /request 12 of May/)
    const activityEntry = (await hub.activity()).find((one) => one.kind === 'record.erased')
    assert.match(activityEntry?.message ?? '', new RegExp(`Record ${id} `))
    expectAbsent([REFERENCE, PERSON], [JSON.stringify(entry), JSON.stringify(activityEntry)])
  })
})

/** Starts a hub that has pulled a person's record among others. */
async function startWithPerson(engine: StorageEngine) {
  const hub = await startTestHub(engine, { withOperator: true })
  const records = [1, 'person-4711', 2].map((number) => simulatedRecord(number))
  const platform = await simulatePlatform({ modules: [simulatedModule('cases', { records })] })
  const { hub_api_key } = await hub.register(platform)
  await hub.pullAll()
  const stored = await hub.records(platform.platform_name)
  const id = stored.find((record) => record.reference_number === REFERENCE)?.record_id ?? 0
  return {
    hub,
    platform,
    key: hub_api_key,
    id,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await hub[Symbol.asyncDispose]()
    },
  }
}

async function erase(hub: TestHub, record_id: number, reason = 'none') {
  const request = { params: { record_id }, body: { mode: 'erase', reason } } as const
  return (await hub.call('POST /api/v1/records/:record_id/erase', request)).erasure
}

function tryErase(hub: TestHub, id: number, body: unknown): Promise<TestResponse> {
  const headers = {
    authorization: hub.authorization('admin'),
    'content-type': 'application/json',
  }
  return hub.send({ method: 'POST', url: `/api/v1/records/${id}/erase`, headers, body })
}

async function tombstonesOf(hub: TestHub) {
  return (await hub.call('GET /api/v1/tombstones')).tombstones
}

/** Asserts that no response and no log line contains the person. */
async function expectErased({ hub }: { hub: TestHub }): Promise<void> {
  const responses = [JSON.stringify(await hub.snapshot()), hub.log()]
  for (const url of ['records', 'activity?limit=500', 'rejected-pushes', 'tombstones', 'pulls/1']) {
    responses.push((await hub.get(`/api/v1/${url}`)).text)
  }
  expectAbsent([REFERENCE, PERSON], responses)
}
