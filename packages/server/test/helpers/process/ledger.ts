/** Records the pushes sent to a hub and its acknowledgements, and compares them with the stored records. */
import assert from 'node:assert/strict'
import type { PushResponse, StoredRecord } from '@recordhub/protocol'
import { listPlatforms, listRecords, type Operator, readSnapshot } from './operator.ts'
import { createPusher, fullNameOf, type Push, type PushResult } from './push.ts'

const SHARED = ['shared-1', 'shared-2', 'shared-3']

export type Ledger = {
  note: (push: Push, result: PushResult) => void
  /** POSTs without acknowledgement, which a platform retries. */
  unacknowledged: () => Push[]
  acknowledged: () => number
  /** Asserts that everything acknowledged is stored once and unchanged, and nothing else is stored. */
  check: (operator: Operator) => Promise<void>
}

export function createLedger(recordType: string): Ledger {
  const posts = new Map<string, { push: Push; recordId: number | null }>()
  const patches: { push: Push; recordId: number | null }[] = []

  function checkPosts(records: Map<string, StoredRecord>): void {
    for (const [reference, { push, recordId }] of posts) {
      const record = records.get(reference)
      if (!record) assert.equal(recordId, null, `${reference} was acknowledged and is lost`)
      else {
        if (recordId !== null) assert.equal(record.record_id, recordId, reference)
        assert.equal(record.full_name, fullNameOf(push))
        if (!SHARED.includes(reference)) assert.deepEqual(record.data, push.data, reference)
      }
    }
  }

  function checkPatches(records: Map<string, StoredRecord>): void {
    const known = new Map<string, Set<string>>()
    for (const { push, recordId } of patches) {
      const record = records.get(push.reference_number)
      assert.ok(record, `${push.reference_number} is lost`)
      if (recordId !== null) assert.equal(record.record_id, recordId)
      for (const [key, value] of Object.entries(push.data)) {
        if (recordId !== null || key in record.data) assert.deepEqual(record.data[key], value, key)
        known.set(push.reference_number, (known.get(push.reference_number) ?? new Set()).add(key))
      }
    }
    for (const reference of SHARED) {
      const unknown = Object.keys(records.get(reference)?.data ?? {}).filter(
        (key) => key !== 'first' && !known.get(reference)?.has(key),
      )
      assert.deepEqual(unknown, [], 'no key is there that was not sent')
    }
  }

  return {
    note(push, result) {
      const recordId = acknowledgedId(push, result)
      if (push.method === 'PATCH') patches.push({ push, recordId })
      else {
        const before = posts.get(push.reference_number)?.recordId ?? null
        if (before !== null && recordId !== null) assert.equal(recordId, before)
        posts.set(push.reference_number, { push, recordId: recordId ?? before })
      }
    },
    unacknowledged: () =>
      [...posts.values()].filter(({ recordId }) => recordId === null).map(({ push }) => push),
    acknowledged: () =>
      [...posts.values(), ...patches].filter(({ recordId }) => recordId !== null).length,
    async check(operator) {
      const listed = await listRecords(operator, `record_type=${recordType}&sort=record_id`)
      const records = new Map(listed.map((record) => [record.reference_number, record]))
      assert.equal(records.size, listed.length, 'no reference is there twice')
      assert.equal(new Set(listed.map((record) => record.record_id)).size, listed.length)
      assert.deepEqual(
        [...records.keys()].filter((reference) => !posts.has(reference)),
        [],
        'nothing is there that was not sent',
      )
      checkPosts(records)
      checkPatches(records)
      assert.equal((await readSnapshot(operator)).stats.records, listed.length)
      const counted = (await listPlatforms(operator)).map((platform) => platform.records)
      assert.deepEqual(counted, [listed.length])
    },
  }
}

function acknowledgedId(push: Push, result: PushResult): number | null {
  if (result.kind !== 'answered' || result.status >= 300) return null
  const answer: PushResponse = JSON.parse(result.text)
  assert.equal(answer.success, true)
  assert.equal(answer.method, push.method)
  return answer.record_id
}

/** The records that {@link pushUntilRejected} changes, to be sent first. */
export function sharedRecords(record_type: string): Push[] {
  return SHARED.map((reference_number) => ({
    method: 'POST',
    record_type,
    reference_number,
    data: { first: 'of all' },
  }))
}

/** Alternately a new record, and a change of a shared one under its own key. */
export function createPush(recordType: string, turn: string, count: number, ballast = ''): Push {
  return count % 2 === 0
    ? {
        method: 'POST',
        record_type: recordType,
        reference_number: turn,
        data: { turn, count, ballast },
      }
    : {
        method: 'PATCH',
        record_type: recordType,
        reference_number: SHARED[count % SHARED.length] ?? '',
        data: { [turn]: count },
      }
}

/**
 * Pushes from many connections, alternately new records and changes of shared ones, each
 * connection until it gets no acknowledgement. Calls `onEnough` after this number of responses, while
 * the other connections are still pushing.
 */
export async function pushUntilRejected(
  hub: { address: string; hubApiKey: string },
  ledger: Ledger,
  work: {
    name: string
    recordType: string
    connections: number
    enough: number
    onEnough: () => void
    /** Additional data that makes the records larger. */
    ballast?: string
  },
): Promise<PushResult[]> {
  const { name, recordType, ballast } = work
  const results: PushResult[] = []

  async function keepPushing(connection: number): Promise<void> {
    const pusher = createPusher(hub)
    for (let count = 0; ; count += 1) {
      const push = createPush(recordType, `${name}-${connection}-${count}`, count, ballast)
      const result = await pusher.push(push)
      ledger.note(push, result)
      results.push(result)
      if (results.length === work.enough) work.onEnough()
      if (result.kind !== 'answered' || result.status >= 300) break
    }
    pusher.close()
  }

  await Promise.all(Array.from({ length: work.connections }, (_, index) => keepPushing(index)))
  return results
}
