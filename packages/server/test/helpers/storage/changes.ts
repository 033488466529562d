/** The change feed in tests of the storage. */
import assert from 'node:assert/strict'
import type { ChangeQuery, ChangeRow } from '../../../src/storage/port/record-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { runSql } from './sql.ts'

const ALL: ChangeQuery = {
  platform: null,
  record_type: null,
  after: 0,
  limit: 1000,
  maxBytes: 1_000_000,
}

export async function readChanges(storage: Storage, query: Partial<ChangeQuery> = {}) {
  const page = await storage.changes.listChanges({ ...ALL, ...query })
  assert.equal(page.outcome, 'found')
  return page.outcome === 'found' ? page : assert.fail()
}

/** A consumer of the change feed that maintains a copy of the records. */
export class ChangeFeedConsumer {
  readonly copy = new Map<number, string>()
  readonly changes: ChangeRow[] = []
  readonly #query: Partial<ChangeQuery>
  #after = 0

  constructor(query: Partial<ChangeQuery> = {}) {
    this.#query = query
  }

  /** Reads one page and applies it to the copy. @returns whether there are more pages. */
  async readPage(storage: Storage, limit = 3): Promise<boolean> {
    const page = await readChanges(storage, { ...this.#query, after: this.#after, limit })
    assert.ok(page.changes.length <= limit)
    assert.ok(page.through >= this.#after)
    for (const change of page.changes) {
      assert.ok(change.change_seq > this.#after && change.change_seq <= page.through)
      if (change.change === 'deleted') this.copy.delete(change.record_id)
      else this.copy.set(change.record.record_id, `${change.change_seq} ${change.record.data}`)
    }
    this.changes.push(...page.changes)
    this.#after = page.through
    return page.has_more
  }

  async catchUp(storage: Storage, limit?: number): Promise<void> {
    while (await this.readPage(storage, limit));
  }
}

/** Deletes a record with SQL as an erasure does: deletes its row and inserts a deletion with this change number. */
export async function deleteRecord(
  storage: Storage,
  { record_id, change_seq }: { record_id: number; change_seq: number },
): Promise<void> {
  await runSql(
    storage,
    `INSERT INTO record_deletions (change_seq, record_id, platform_id, module_id, platform_name,
       record_type, at)
     SELECT ${change_seq}, r.record_id, r.platform_id, r.module_id, p.platform_name, m.record_type,
       '2026-03-10T09:00:00.000Z'
     FROM records r JOIN platforms p ON p.platform_id = r.platform_id
       JOIN modules m ON m.module_id = r.module_id
     WHERE r.record_id = ${record_id}`,
  )
  await runSql(storage, `DELETE FROM records WHERE record_id = ${record_id}`)
}
