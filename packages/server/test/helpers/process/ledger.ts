/** Records the pushes sent to a hub and its acknowledgements, and compares both with the stored records. */
import assert from 'node:assert/strict'
import type { PushResponse, StoredRecord } from '@recordhub/protocol'
import type { Operator } from './operator.ts'
import { createPusher, fullNameOf, type Push, type PushResult } from './push.ts'

/** The record type of all pushes. */
export const PUSHED_TYPE = 'case'

const SHARED = ['shared-1', 'shared-2', 'shared-3']

export type Ledger = {
  record: (push: Push, result: PushResult) => void
  /** The POSTs without acknowledgement, which a platform retries. */
  unacknowledged: () => Push[]
  acknowledged: () => number
  /** Compares the acknowledged pushes with the stored records. */
  compare: (operator: Operator) => Promise<Comparison>
  /** Asserts that each acknowledged push is stored once and unchanged, and that nothing else is stored. */
  assertStored: (operator: Operator) => Promise<void>
}

/** What the clients were told, compared with what is stored. */
export type Comparison = {
  acknowledged: number
  /** Acknowledged pushes whose record, or whose changed field, is not stored. */
  lost: number
  /** Stored records with the reference number of another one. */
  duplicated: number
}

export function createLedger(): Ledger {
  const posts = new Map<string, { push: Push; recordId: number | null }>()
  const patches: { push: Push; recordId: number | null }[] = []

  function checkPosts(records: Map<string, StoredRecord>): void {
    for (const [reference, { push, recordId }] of posts) {
      const record = records.get(reference)
      if (!record) assert.equal(recordId, null, `${reference} was acknowledged but is not stored`)
      else {
        if (recordId !== null) assert.equal(record.record_id, recordId, reference)
        assert.equal(record.full_name, fullNameOf(push))
        if (!SHARED.includes(reference)) assert.deepEqual(record.data, push.data, reference)
      }
    }
  }

  function checkPatches(records: Map<string, StoredRecord>): void {
    const sentKeys = new Map<string, Set<string>>()
    for (const { push, recordId } of patches) {
      const record = records.get(push.reference_number)
      assert.ok(record, `${push.reference_number} is not stored`)
      if (recordId !== null) assert.equal(record.record_id, recordId)
      for (const [key, value] of Object.entries(push.data)) {
        if (recordId !== null || key in record.data) assert.deepEqual(record.data[key], value, key)
        sentKeys.set(
          push.reference_number,
          (sentKeys.get(push.reference_number) ?? new Set()).add(key),
        )
      }
    }
    for (const reference of SHARED) {
      const unsent = Object.keys(records.get(reference)?.data ?? {}).filter(
        (key) => key !== 'first' && !sentKeys.get(reference)?.has(key),
      )
      assert.deepEqual(unsent, [], 'every stored key was sent')
    }
  }

  function countLost(records: Map<string, StoredRecord>): number {
    const lostPosts = [...posts.values()].filter(
      ({ push, recordId }) => recordId !== null && !records.has(push.reference_number),
    )
    const lostPatches = patches.filter(({ push, recordId }) => {
      const { data = {} } = records.get(push.reference_number) ?? {}
      return recordId !== null && Object.keys(push.data).some((key) => !(key in data))
    })
    return lostPosts.length + lostPatches.length
  }

  const listStored = (operator: Operator) =>
    operator.findRecords(`record_type=${PUSHED_TYPE}&sort=record_id`)
  const countAcknowledged = () =>
    [...posts.values(), ...patches].filter(({ recordId }) => recordId !== null).length

  return {
    async compare(operator) {
      const listed = await listStored(operator)
      const records = new Map(listed.map((record) => [record.reference_number, record]))
      return {
        acknowledged: countAcknowledged(),
        lost: countLost(records),
        duplicated: listed.length - records.size,
      }
    },
    record(push, result) {
      const recordId = acknowledgedId(push, result)
      if (push.method === 'PATCH') patches.push({ push, recordId })
      else {
        const previous = posts.get(push.reference_number)?.recordId ?? null
        if (previous !== null && recordId !== null) assert.equal(recordId, previous)
        posts.set(push.reference_number, { push, recordId: recordId ?? previous })
      }
    },
    unacknowledged: () =>
      [...posts.values()].filter(({ recordId }) => recordId === null).map(({ push }) => push),
    acknowledged: countAcknowledged,
    async assertStored(operator) {
      const listed = await listStored(operator)
      const records = new Map(listed.map((record) => [record.reference_number, record]))
      assert.equal(records.size, listed.length, 'every reference is stored once')
      assert.equal(new Set(listed.map((record) => record.record_id)).size, listed.length)
      assert.deepEqual(
        [...records.keys()].filter((reference) => !posts.has(reference)),
        [],
        'every stored record was sent',
      )
      checkPosts(records)
      checkPatches(records)
      // Other platforms of the test may be pulled.
      const platforms = await operator.platforms()
      const pushing = platforms.find((one) => one.platform_name === listed[0]?.platform_name)
      assert.equal(pushing?.records, listed.length)
      const { records: counted } = (await operator.snapshot()).stats
      assert.equal(
        counted,
        platforms.reduce((total, platform) => total + platform.records, 0),
      )
    },
  }
}

function acknowledgedId(push: Push, result: PushResult): number | null {
  if (result.kind !== 'response' || result.status >= 300) return null
  const response: PushResponse = JSON.parse(result.text)
  assert.equal(response.success, true)
  assert.equal(response.method, push.method)
  return response.record_id
}

/** The records that pushes of {@link createPush} change. Send them first. */
export function createSharedRecords(): Push[] {
  return SHARED.map((reference_number) => ({
    method: 'POST',
    record_type: PUSHED_TYPE,
    reference_number,
    data: { first: 'of all' },
  }))
}

/** A new record if `count` is even, otherwise a change of a shared record under its own key. */
export function createPush(id: string, count: number, padding = ''): Push {
  return count % 2 === 0
    ? {
        method: 'POST',
        record_type: PUSHED_TYPE,
        reference_number: id,
        data: { turn: id, count, padding },
      }
    : {
        method: 'PATCH',
        record_type: PUSHED_TYPE,
        reference_number: SHARED[count % SHARED.length] ?? '',
        data: { [id]: count },
      }
}

/**
 * Pushes from many connections, alternately new records and changes of shared ones. Each connection stops at its
 * first push that is not acknowledged. Calls `onTarget` after `targetResponses` results, while other connections are
 * still pushing.
 */
export async function pushUntilRejected(
  hub: { address: string; hubApiKey: string },
  ledger: Ledger,
  work: {
    name: string
    connections: number
    targetResponses: number
    onTarget: () => void
    /** Makes the records larger. */
    padding?: string
    /** Ends the pushes before any is rejected. */
    isFinished?: () => boolean
  },
): Promise<PushResult[]> {
  const { name, padding, isFinished = () => false } = work
  const results: PushResult[] = []

  async function pushRepeatedly(connection: number): Promise<void> {
    const pusher = createPusher(hub)
    for (let count = 0; !isFinished(); count += 1) {
      const push = createPush(`${name}-${connection}-${count}`, count, padding)
      const result = await pusher.push(push)
      ledger.record(push, result)
      results.push(result)
      if (results.length === work.targetResponses) work.onTarget()
      if (result.kind !== 'response' || result.status >= 300) break
    }
    pusher.close()
  }

  await Promise.all(Array.from({ length: work.connections }, (_, index) => pushRepeatedly(index)))
  return results
}
