/** Pushes that the hub cannot take now: limits, faults of the storage, stopping. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { PushAnswer } from '@recordhub/protocol'
import { HubError } from '../../src/errors.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import {
  newRecord,
  push,
  pushHeaders,
  recordsOf,
  registerAny,
  rejectedOf,
  tracesOf,
} from '../helpers/http-actions.ts'
import { expectAnswer, expectError } from '../helpers/http-answer.ts'
import { sendOverSocket, startTestHub } from '../helpers/http-hub.ts'
import type { StorageEngine } from '../helpers/storage-engine.ts'
import { only } from '../helpers/storage-fixtures.ts'

export function describeReceiverLimits(engine: StorageEngine): void {
  describe(`a push that the hub cannot take now, on ${engine.name}`, () => {
    test('a push over the rate limit is 429 with Retry-After, and not stored', async () => {
      await using hub = await startTestHub(engine, { env: { HUB_RATE_LIMIT: '3' } })
      const limited = await registerAny(hub)
      const other = await registerAny(hub)
      const began = performance.now()
      const pushing = Array.from({ length: 100 }, (_, index) =>
        push(hub, limited.hub_api_key, newRecord(`N-${index}`)),
      )
      const answers = await Promise.all(pushing)
      const seconds = 1 + Math.ceil((performance.now() - began) / 1000)
      const refused = answers.filter((answer) => answer.status === 429)
      assert.ok(refused.length >= 100 - 3 * seconds, `${refused.length} were refused`)
      assert.ok(refused.length > 0)
      for (const answer of refused) {
        expectError(answer, 429, 'too_many_requests')
        assert.match(answer.header('retry-after'), /^[1-9]\d*$/)
      }
      const taken = answers.filter((answer) => answer.status === 201)
      assert.equal(taken.length + refused.length, 100)
      assert.ok(taken.length >= 3)
      assert.equal((await recordsOf(hub, limited.platform_name)).length, taken.length)
      assert.deepEqual(await rejectedOf(hub, limited.platform_name), [])
      expectAnswer(await push(hub, other.hub_api_key, newRecord('N-1')), 201, PushAnswer)
    })

    test('a body of the largest size is taken; one byte more is 413 and not stored', async () => {
      await using hub = await startTestHub(engine, { env: { HUB_MAX_BODY_BYTES: '2000' } })
      const { hub_api_key, platform_name } = await registerAny(hub)
      const bare = JSON.stringify(newRecord('N-1')).length
      const body = (bytes: number) =>
        JSON.stringify(newRecord('N-1', { full_name: `Ann Example${'x'.repeat(bytes - bare)}` }))
      const before = await tracesOf(hub)
      const error = expectError(await push(hub, hub_api_key, body(2001)), 413, 'body_too_large')
      assert.match(error.message, /2000/)
      assert.deepEqual(await tracesOf(hub), before)
      expectAnswer(await push(hub, hub_api_key, body(2000)), 201, PushAnswer)
      assert.equal((await recordsOf(hub, platform_name)).length, 1)
    })

    test('a push while the hub stops is 503 with Retry-After, and not stored', async () => {
      await using hub = await startTestHub(engine)
      const { hub_api_key } = await registerAny(hub)
      const before = await tracesOf(hub)
      const stopping = hub.stop()
      const answer = await push(hub, hub_api_key, newRecord('N-1'))
      await stopping
      expectError(answer, 503, 'shutting_down')
      assert.match(answer.header('retry-after'), /^[1-9]\d*$/)
      assert.deepEqual(await tracesOf(hub), before)
    })

    test('a push that is being stored while the hub stops gets its answer, and is stored', async () => {
      const arrived = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const wrap = (storage: Storage): Storage => ({
        ...storage,
        records: {
          ...bound(storage.records),
          async applyWrites(batch) {
            arrived.resolve()
            await gate.promise
            return storage.records.applyWrites(batch)
          },
        },
      })
      await using hub = await startTestHub(engine, { wrap })
      const { hub_api_key, platform_name } = await registerAny(hub)
      const headers = pushHeaders(hub_api_key)
      const url = '/api/webhook/receive'
      const request = { method: 'POST', url, headers, body: newRecord('N-1') }
      const pushing = sendOverSocket(hub, request)
      await arrived.promise
      const stopping = hub.stop()
      gate.resolve()
      const answer = await pushing
      expectAnswer(answer, 201, PushAnswer)
      assert.equal(answer.header('connection'), 'close')
      await stopping
      await hub.restart()
      assert.equal(only(await recordsOf(hub, platform_name)).reference_number, 'N-1')
    })

    test('a push while the storage is down is 503 with Retry-After, and a later one is taken', async () => {
      let isDown = false
      const wrap = (storage: Storage): Storage => ({
        ...storage,
        records: failing(storage.records, () => isDown),
      })
      await using hub = await startTestHub(engine, { wrap })
      const { hub_api_key, platform_name } = await registerAny(hub)
      isDown = true
      const answer = await push(hub, hub_api_key, newRecord('N-1'))
      expectError(answer, 503, 'storage_unavailable')
      assert.equal(answer.header('retry-after'), '5')
      assert.deepEqual(await recordsOf(hub, platform_name), [])
      isDown = false
      expectAnswer(await push(hub, hub_api_key, newRecord('N-1')), 201, PushAnswer)
    })

    test('a defect is 500 without a word of what it was, which only the log has', async () => {
      const wrap = (storage: Storage): Storage => ({
        ...storage,
        records: {
          ...bound(storage.records),
          applyWrites: () => Promise.reject(new Error('a defect within')),
        },
      })
      await using hub = await startTestHub(engine, { wrap })
      const { hub_api_key } = await registerAny(hub)
      const answer = await push(hub, hub_api_key, newRecord('N-1'))
      const error = expectError(answer, 500, 'internal_error')
      assert.doesNotMatch(answer.text, /defect within/)
      assert.match(hub.log(), /a defect within/)
      assert.ok(hub.log().includes(error.request_id))
      assert.ok(!hub.log().includes(hub_api_key))
    })

    test('while too many pushes wait to be written, more are 503 with Retry-After', async () => {
      const gate = Promise.withResolvers<void>()
      const wrap = (storage: Storage): Storage => ({
        ...storage,
        records: {
          ...bound(storage.records),
          async applyWrites(batch) {
            await gate.promise
            return storage.records.applyWrites(batch)
          },
        },
      })
      await using hub = await startTestHub(engine, { wrap })
      const { hub_api_key, platform_name } = await registerAny(hub)
      const url = '/api/webhook/receive'
      const body = JSON.stringify(newRecord('N-1'))
      const headers = pushHeaders(hub_api_key)
      // From here on the hub knows the key, and takes pushes as they come.
      await hub.send({ url: '/api/webhook/check', headers })
      const waiting: Promise<{ status: number }>[] = []
      let refused = null
      while (refused === null && waiting.length < 20_000) {
        const batch = Array.from({ length: 500 }, () =>
          hub.send({ method: 'POST', url, headers, body }),
        )
        waiting.push(...batch)
        // Those that are refused answer; the others wait for the gate.
        await new Promise(setImmediate)
        await new Promise(setImmediate)
        refused = await Promise.race([...batch, new Promise<null>((go) => setImmediate(go, null))])
      }
      assert.ok(refused)
      expectError(refused, 503, 'busy')
      assert.match(refused.header('retry-after'), /^[1-9]\d*$/)
      gate.resolve()
      const statuses = new Set((await Promise.all(waiting)).map((answer) => answer.status))
      assert.deepEqual([...statuses].sort(), [200, 201, 503])
      assert.equal((await recordsOf(hub, platform_name)).length, 1)
    })
  })
}

/** The methods of a store as members of its own, so that one can be put in another's place. */
function bound(records: Storage['records']): Storage['records'] {
  return {
    applyWrites: (batch) => records.applyWrites(batch),
    tryWrites: (batch) => records.tryWrites(batch),
    recogniseElements: (read, sightings) => records.recogniseElements(read, sightings),
    listRecords: (query) => records.listRecords(query),
    countRecords: (query) => records.countRecords(query),
    readRecord: (recordId) => records.readRecord(recordId),
    listHistory: (query) => records.listHistory(query),
  }
}

/** Records whose writes fail as they do where the disk is full, for as long as something is so. */
function failing(records: Storage['records'], isDown: () => boolean): Storage['records'] {
  return {
    ...bound(records),
    async applyWrites(batch) {
      if (!isDown()) return records.applyWrites(batch)
      throw new HubError('storage_unavailable', { seconds: 5 }, { retryAfterSeconds: 5 })
    },
  }
}
