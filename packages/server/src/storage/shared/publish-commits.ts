/**
 * Publishes the kinds of data that this process has changed. The writing connections of both engines run on a driver
 * that recognises INSERT, UPDATE and DELETE of the tables below, and publishes the reasons of a transaction once it has
 * committed. It does not recognise a write inside a WITH query.
 *
 * The write path of records and the marker of missing records do not use Kysely. They publish `records` themselves
 * after each commit.
 */
import type { ChangeReason } from '@recordhub/protocol'
import type { CompiledQuery, DatabaseConnection, Driver, QueryResult } from 'kysely'
import type { Tables } from './schema/tables.ts'

/** The tables that the dashboard shows. Platforms are published by `PlatformChanges`, on every node. */
const REASONS: { [Table in keyof Tables]?: ChangeReason } = {
  records: 'records',
  removals: 'records',
  reverts: 'activity',
  pulls: 'pull',
  pull_tasks: 'pull',
  paused_schedules: 'schedule',
  stored_settings: 'schedule',
  activity: 'activity',
  alerts: 'activity',
  inbox_marks: 'activity',
  missing_reviews: 'activity',
  push_errors: 'activity',
  rejected_pushes: 'activity',
  request_log: 'requests',
}
const REASON_OF_TABLE: ReadonlyMap<string, ChangeReason> = new Map(Object.entries(REASONS))
const WRITE = /^\s*(?:insert into|update|delete from)\s+"?(\w+)/i

export type ChangePublisher = {
  publish: (reason: ChangeReason) => void
  subscribe: (listener: (reason: ChangeReason) => void) => void
}

export function createChangePublisher(): ChangePublisher {
  const listeners: ((reason: ChangeReason) => void)[] = []
  return {
    publish(reason) {
      for (const listener of listeners) listener(reason)
    },
    subscribe: (listener) => void listeners.push(listener),
  }
}

/** Wraps a driver so that each commit publishes the reasons of its writes. */
export function publishCommits(driver: Driver, publish: ChangePublisher['publish']): Driver {
  return {
    init: () => driver.init(),
    acquireConnection: async () =>
      new PublishingConnection(await driver.acquireConnection(), publish),
    async beginTransaction(connection, settings) {
      const { inner, pending } = toPublishing(connection)
      await driver.beginTransaction(inner, settings)
      pending.begin()
    },
    async commitTransaction(connection) {
      const { inner, pending } = toPublishing(connection)
      await driver.commitTransaction(inner)
      pending.commit()
    },
    async rollbackTransaction(connection) {
      const { inner, pending } = toPublishing(connection)
      pending.rollBack()
      await driver.rollbackTransaction(inner)
    },
    releaseConnection: (connection) => driver.releaseConnection(toPublishing(connection).inner),
    destroy: () => driver.destroy(),
  }
}

function toPublishing(connection: DatabaseConnection): PublishingConnection {
  if (connection instanceof PublishingConnection) return connection
  throw new Error('The connection belongs to another driver')
}

class PublishingConnection implements DatabaseConnection {
  readonly inner: DatabaseConnection
  readonly pending: PendingReasons

  constructor(inner: DatabaseConnection, publish: ChangePublisher['publish']) {
    this.inner = inner
    this.pending = new PendingReasons(publish)
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    const result = await this.inner.executeQuery<Row>(query)
    const reason = REASON_OF_TABLE.get(WRITE.exec(query.sql)?.[1] ?? '')
    const hasChanged = result.rows.length > 0 || (result.numAffectedRows ?? 0n) > 0n
    if (reason !== undefined && hasChanged) this.pending.add(reason)
    return result
  }

  streamQuery<Row>(
    query: CompiledQuery,
    chunkSize: number,
  ): AsyncIterableIterator<QueryResult<Row>> {
    return this.inner.streamQuery<Row>(query, chunkSize)
  }
}

/** Collects the reasons of a transaction, and publishes them after the commit. Without a transaction, publishes immediately. */
class PendingReasons {
  readonly #publish: ChangePublisher['publish']
  #reasons: Set<ChangeReason> | null = null

  constructor(publish: ChangePublisher['publish']) {
    this.#publish = publish
  }

  begin(): void {
    this.#reasons = new Set()
  }

  add(reason: ChangeReason): void {
    if (this.#reasons) this.#reasons.add(reason)
    else this.#publish(reason)
  }

  commit(): void {
    const reasons = this.#reasons ?? []
    this.#reasons = null
    for (const reason of reasons) this.#publish(reason)
  }

  rollBack(): void {
    this.#reasons = null
  }
}
