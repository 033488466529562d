import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type QueryResult,
} from 'kysely'
import type pg from 'pg'
import { storageUnavailable } from '../../errors.ts'
import { isCameBetween, isSpent, translatingErrors } from './map-error.ts'

/**
 * Kysely's PostgreSQL dialect over a pool, with errors in the hub's words, texts as PostgreSQL takes
 * them, and spent connections given up. The pool is closed by whoever opened it.
 */
export class HubDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): Driver {
    return createDriver(this.#pool)
  }
}

function createDriver(pool: pg.Pool): Driver {
  const acquired = new WeakMap<DatabaseConnection, PoolConnection>()
  const run = (sql: string) => async (connection: DatabaseConnection) =>
    void (await connection.executeQuery(CompiledQuery.raw(sql)))
  return {
    init: async () => undefined,
    async acquireConnection() {
      const connection = new PoolConnection(await translatingErrors(pool.connect()))
      acquired.set(connection, connection)
      return connection
    },
    beginTransaction: run('BEGIN'),
    commitTransaction: run('COMMIT'),
    rollbackTransaction: run('ROLLBACK'),
    releaseConnection: async (connection) => acquired.get(connection)?.release(),
    destroy: async () => undefined,
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  #isSpent = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const answer = this.#client.query(sql, parameters.map(toStorable))
      const { rows, rowCount } = await translatingErrors(answer)
      return { rows, ...(rowCount === null ? {} : { numAffectedRows: BigInt(rowCount) }) }
    } catch (error) {
      this.#isSpent ||= isSpent(error)
      // Whoever asks again finds what the other transaction left.
      throw isCameBetween(error) ? storageUnavailable(error) : error
    }
  }

  // biome-ignore lint/correctness/useYield: it gives nothing.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Queries are not streamed')
  }

  release(): void {
    this.#client.release(this.#isSpent)
  }
}

/**
 * What others have sent may hold U+0000, which PostgreSQL has in no text: in words for people it becomes
 * U+FFFD, as half of a surrogate pair does on its way. What must be kept exactly is refused before.
 */
function toStorable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value
}
