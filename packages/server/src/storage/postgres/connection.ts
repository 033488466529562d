import {
  type CompiledQuery,
  type DatabaseConnection,
  Kysely,
  PostgresDialect,
  PostgresDriver,
} from 'kysely'
import pg from 'pg'
import type { Tables } from '../portable/tables.ts'
import { translatingErrors } from './translate-error.ts'

/** The connections of one node to one database. */
export type PostgresConnections = {
  /** Every portable query, and Better Auth's. */
  database: Kysely<Tables>
  dialect: PostgresDialect
  /**
   * Gives a connection of the write path, which sends a statement without waiting for the answer to
   * the one before. Where the work fails, its transaction is rolled back.
   */
  withWriter: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>
  /** Runs one statement outside of a transaction. */
  query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>
  close: () => Promise<void>
}

/** A node takes at most so many, and two more for its jobs and for news of other nodes. */
const MAX_CONNECTIONS = 8
/** One commits pushes; the others are for platforms that are pulled side by side. */
const MAX_WRITERS = 5
const TIMEOUTS = {
  connectionTimeoutMillis: 5000,
  /** A node that froze half-way must not hold what others wait for. */
  idle_in_transaction_session_timeout: 30_000,
  statement_timeout: 30_000,
  /** Where not even the server's own limit arrives, such as through a dead network. */
  query_timeout: 40_000,
}
/**
 * An acknowledged write is durable, whatever the server's default. Writes go by key and nothing else,
 * and a plan made while a table was empty must not read it all when it is full.
 */
const WRITER_OPTIONS =
  '-c synchronous_commit=on -c jit=off -c enable_seqscan=off -c lock_timeout=10000'
const OPTIONS = '-c synchronous_commit=on -c jit=off'

/** `int8` as a number; every number of the hub is below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? parseSafeInteger
      : pg.types.getTypeParser(oid, format),
}

/** Makes connections as they are needed; an address that nobody answers at fails at the first use. */
export function openConnections(url: string): PostgresConnections {
  const pool = openPool(url, { max: MAX_CONNECTIONS, options: OPTIONS })
  const writers = openPool(url, { max: MAX_WRITERS, options: WRITER_OPTIONS, pipeline: true })
  const dialect = new TranslatingDialect(pool)
  const database = new Kysely<Tables>({ dialect })
  const underWay = new Set<Promise<unknown>>()
  return {
    database,
    dialect,
    withWriter(work) {
      const done = translatingErrors(runOn(writers, work))
      underWay.add(done)
      const forget = () => void underWay.delete(done)
      done.then(forget, forget)
      return done
    },
    query: (text, values) => translatingErrors(pool.query(text, values)),
    async close() {
      await Promise.allSettled(underWay)
      // Behind whatever waits for a connection already; a pool that ends leaves those waiting for ever.
      await database
        .connection()
        .execute(async () => undefined)
        .catch(() => undefined)
      await Promise.all([pool.end(), writers.end()])
    },
  }
}

/** A connection without limits of time, for work such as migrations. */
export function openUnlimited(url: string): Kysely<Tables> {
  const limits = { statement_timeout: 0, query_timeout: 0, idle_in_transaction_session_timeout: 0 }
  return new Kysely<Tables>({
    dialect: new TranslatingDialect(openPool(url, { max: 1, options: OPTIONS, ...limits })),
  })
}

/** What every client of this database is made with. Settings of the address itself stay. */
export function clientConfig(url: string, options = OPTIONS): pg.ClientConfig {
  const address = new URL(url)
  const given = address.searchParams.get('options')
  address.searchParams.set('options', given ? `${given} ${options}` : options)
  return {
    connectionString: address.href,
    application_name: 'recordhub',
    keepAlive: true,
    types,
    ...TIMEOUTS,
  }
}

/** Where a database is, in words that hold no secret. */
export function placeOf(url: string): { server: string; user: string; database: string } {
  const { host, port, user = '', database = user } = new pg.Client({ connectionString: url })
  return { server: host.startsWith('/') ? host : `${host}:${port}`, user, database }
}

function openPool(
  url: string,
  { options, ...config }: pg.PoolConfig & { options: string },
): pg.Pool {
  const pool = new pg.Pool({ ...clientConfig(url, options), ...config })
  // A connection that breaks while nobody uses it is replaced when it is needed.
  pool.on('error', () => undefined)
  return pool
}

async function runOn<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    client.release()
    return result
  } catch (error) {
    // Where not even a rollback gets through, the connection is of no use to anybody.
    await client.query('ROLLBACK').then(
      () => client.release(),
      (broken: Error) => client.release(broken),
    )
    throw error
  }
}

/** Kysely's PostgreSQL dialect with errors in the hub's words. */
class TranslatingDialect extends PostgresDialect {
  readonly #pool: pg.Pool

  constructor(pool: pg.Pool) {
    super({ pool })
    this.#pool = pool
  }

  override createDriver(): PostgresDriver {
    return new TranslatingDriver({ pool: this.#pool })
  }
}

class TranslatingDriver extends PostgresDriver {
  readonly #translated = new WeakSet<DatabaseConnection>()

  override async acquireConnection(): Promise<DatabaseConnection> {
    const connection = await translatingErrors(super.acquireConnection())
    if (this.#translated.has(connection)) return connection
    this.#translated.add(connection)
    const execute: DatabaseConnection['executeQuery'] = connection.executeQuery.bind(connection)
    connection.executeQuery = <Row>(query: CompiledQuery) => translatingErrors(execute<Row>(query))
    return connection
  }
}

function parseSafeInteger(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`The database holds a number that is too large: ${text}`)
}
