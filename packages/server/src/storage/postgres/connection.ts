import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresDialect,
  type QueryResult,
  sql,
} from 'kysely'
import pg from 'pg'
import { storageUnavailable } from '../../errors.ts'
import { type ChangePublisher, publishCommits } from '../shared/publish-commits.ts'
import type { Databases } from '../shared/schema/databases.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { isConnectionUnusable, isTransactionConflict, withMappedErrors } from './map-error.ts'

/** The connections of one node to one database. */
export type PostgresConnections = {
  /** The shared queries, and those of Better Auth. */
  database: Kysely<Tables>
  dialect: Dialect
  /** As `Databases.withoutFsync`. */
  withoutFsync: Databases['withoutFsync']
  /**
   * Runs work on a connection of the write path, which pipelines: it sends a statement without waiting for the response
   * to the previous one. If the work fails, its transaction is rolled back.
   */
  withWriter: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>
  /** Runs one statement outside of a transaction. */
  query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>
  /** Publishes a change that was committed on a connection of `withWriter`. */
  publish: ChangePublisher['publish']
  close: () => Promise<void>
}

/** Maximum number of connections of a process, besides its writers and one connection for notifications. */
export const MAX_CONNECTIONS = 8
/** One writer commits pushes. Each of four platforms that are pulled concurrently uses one to commit and one to look up. */
export const MAX_WRITERS = 9
/** Of the thread that lists records. */
const MAX_READERS = 4
const CONNECT_TIMEOUT_MS = 5000
/** Ends queries that the server's own timeout cannot end, for example when the network is dead. */
const QUERY_TIMEOUT_MS = 40_000
const CLOSE_TIMEOUT_MS = 3000

/** `synchronous_commit`: an acknowledged write is durable, whatever the server's default. */
const SESSION = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  datestyle: 'ISO',
  jit: 'off',
}
const LIMITED_SESSION = {
  ...SESSION,
  statement_timeout: '30s',
  /** A frozen node must not keep its locks. */
  idle_in_transaction_session_timeout: '30s',
}
const LIMITS = new Set(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
/**
 * The write path finds rows only by key, one by one, so one plan serves all parameters. It may be made for empty tables, and
 * must not scan a table after it has grown. Without the last setting, the server plans some statements at each use.
 */
const WRITER_SESSION = {
  ...LIMITED_SESSION,
  lock_timeout: '10s',
  enable_seqscan: 'off',
  enable_hashjoin: 'off',
  enable_mergejoin: 'off',
  plan_cache_mode: 'force_generic_plan',
}

/** Parses `int8` as a number, since every number of the hub is below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? parseSafeInteger
      : pg.types.getTypeParser(oid, format),
}

/**
 * Opens pools, which connect when they are used. An unreachable server fails the first use.
 * @param publish receives the reason of each committed change.
 * @param connectTimeoutMs how long a call waits for a connection.
 */
export function openConnections(
  url: string,
  publish: ChangePublisher['publish'],
  connectTimeoutMs = CONNECT_TIMEOUT_MS,
): PostgresConnections {
  const sockets = new OpenSockets()
  const config = { connectionTimeoutMillis: connectTimeoutMs, ...sockets.config }
  const pool = openPool(url, LIMITED_SESSION, { max: MAX_CONNECTIONS, ...config })
  const pipeline = { max: MAX_WRITERS, pipeline: true, ...config }
  const writers = openPool(url, WRITER_SESSION, pipeline)
  const dialect = new PostgresPoolDialect(pool, publish)
  const database = new Kysely<Tables>({ dialect })
  const inFlight = new Set<Promise<unknown>>()
  return {
    database,
    dialect,
    withoutFsync: (work) =>
      database.transaction().execute(async (transaction) => {
        await sql`SET LOCAL synchronous_commit = off`.execute(transaction)
        return work(transaction)
      }),
    withWriter(work) {
      const done = withMappedErrors(runOn(writers, work))
      inFlight.add(done)
      const remove = () => void inFlight.delete(done)
      done.then(remove, remove)
      return done
    },
    query: (text, values) => withMappedErrors(runOn(pool, (client) => client.query(text, values))),
    publish,
    async close() {
      // Writes that run have limits of their own.
      await Promise.allSettled(inFlight)
      await sockets.closeWith(async () => {
        // Waits until all earlier requests have a connection: a pool that ends never settles waiting requests.
        await database.connection().execute(async () => undefined)
        await Promise.all([pool.end(), writers.end()])
      })
    },
  }
}

/** Runs work, such as migrations, on a connection without time limits. */
export async function withUnlimited<Result>(
  url: string,
  work: (database: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const { database, close } = openUnlimited(url)
  try {
    return await work(database)
  } finally {
    await close()
  }
}

/** Opens one connection without time limits. */
export function openUnlimited(url: string): Database {
  return openDatabase(url, SESSION, { max: 1, query_timeout: 0 })
}

/** Opens the connections of a thread that reads. */
export function openReaders(url: string): Database {
  return openDatabase(url, LIMITED_SESSION, { max: MAX_READERS })
}

/** Opens the connection of a thread that writes one transaction at a time. */
export function openWorker(url: string): Database {
  return openDatabase(url, LIMITED_SESSION, { max: 1 })
}

type Database = Pick<PostgresConnections, 'database' | 'close'>

function openDatabase(
  url: string,
  session: Record<string, string>,
  config: pg.PoolConfig,
): Database {
  const sockets = new OpenSockets()
  const pool = openPool(url, session, { ...config, ...sockets.config })
  const dialect = new PostgresPoolDialect(pool, () => undefined)
  return {
    database: new Kysely<Tables>({ dialect }),
    close: () => sockets.closeWith(() => pool.end()),
  }
}

/** A connection outside of the pools. */
export type SingleConnection = { client: pg.Client; end: () => Promise<void> }

/** Prepares a connection outside of the pools. `end` closes it. */
export function openClient(url: string): SingleConnection {
  const sockets = new OpenSockets()
  const client = new pg.Client({ ...clientConfig(url), ...sockets.config })
  // The work on a broken connection throws the error.
  client.on('error', () => undefined)
  return { client, end: () => sockets.closeWith(() => client.end()) }
}

/** The open sockets of clients, which can be destroyed when a regular close gets no response from the server. */
class OpenSockets {
  readonly #open = new Set<Socket>()
  readonly config = {
    stream: () => {
      const socket = new Socket()
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      return socket
    },
  }

  /** Closes connections, and destroys the sockets that are still open after a timeout. Never rejects. */
  async closeWith(end: () => Promise<unknown>): Promise<void> {
    const timeout = new AbortController()
    const timedOut = sleep(CLOSE_TIMEOUT_MS, undefined, { signal: timeout.signal })
    await Promise.race([end(), timedOut]).catch(() => undefined)
    timeout.abort()
    await timedOut.catch(() => undefined)
    for (const socket of this.#open) socket.destroy()
  }
}

function clientConfig(url: string): pg.ClientConfig {
  return {
    connectionString: url,
    application_name: 'recordhub',
    keepAlive: true,
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
  }
}

/** Returns the parts of an address that are not secret, for messages. */
export function describeServer(url: string): { server: string; user: string; database: string } {
  const { host, port, user = '', database = user } = new pg.Client({ connectionString: url })
  return { server: host.startsWith('/') ? host : `${host}:${port}`, user, database }
}

/** Opens a pool. Timeouts that the address sets take precedence over those of the session. */
function openPool(url: string, session: Record<string, string>, config: pg.PoolConfig): pg.Pool {
  const parameters = new URL(url).searchParams
  const settings = Object.entries(session)
    .filter(([name]) => !(LIMITS.has(name) && parameters.has(name)))
    .map(([name, value]) => `SET ${name} = '${value}'`)
  const pool = new pg.Pool({
    ...clientConfig(url),
    ...config,
    // As statements, because a connection pooler rejects them as startup parameters.
    onConnect: async (client) => void (await client.query(settings.join('; '))),
  })
  // The pool replaces an idle connection that breaks. The work on a connection in use throws the error.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => {
    client.on('error', () => undefined)
    client.on('notice', ({ routine }) => {
      if (routine === 'SyncRepWaitForLSN') unreplicated.add(client)
    })
  })
  return pool
}

/**
 * Connections with a commit that no synchronous standby has: if its wait is cancelled, PostgreSQL reports success with a
 * warning. https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION-HA
 */
const unreplicated = new WeakSet<pg.ClientBase>()

/** @throws HubError `storage_unavailable`, so that the commit is not acknowledged; a retry waits for the standby again. */
function assertReplicated(client: pg.ClientBase): void {
  if (!unreplicated.delete(client)) return
  throw storageUnavailable(new Error('The wait for a synchronous standby was cancelled'))
}

async function runOn<Result>(
  pool: pg.Pool,
  work: (client: pg.PoolClient) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  try {
    const result = await work(client)
    assertReplicated(client)
    client.release()
    return result
  } catch (error) {
    // A connection on which not even ROLLBACK succeeds is discarded.
    await client.query('ROLLBACK').then(
      () => client.release(isConnectionUnusable(error)),
      (broken: Error) => client.release(broken),
    )
    throw error
  }
}

function parseSafeInteger(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`The database contains a number that is too large: ${text}`)
}

/**
 * Kysely's PostgreSQL dialect over a pool. It maps errors, replaces U+0000 in parameters, discards unusable connections
 * and publishes commits. It does not close the pool.
 */
class PostgresPoolDialect extends PostgresDialect {
  readonly #pool: pg.Pool
  readonly #publish: ChangePublisher['publish']

  constructor(pool: pg.Pool, publish: ChangePublisher['publish']) {
    super({ pool })
    this.#pool = pool
    this.#publish = publish
  }

  override createDriver(): Driver {
    return publishCommits(createDriver(this.#pool), this.#publish)
  }
}

function createDriver(pool: pg.Pool): Driver {
  const run = (sql: string) => async (connection: DatabaseConnection) =>
    void (await connection.executeQuery(CompiledQuery.raw(sql)))
  return {
    init: async () => undefined,
    acquireConnection: async () => new PoolConnection(await withMappedErrors(pool.connect())),
    beginTransaction: run('BEGIN'),
    commitTransaction: run('COMMIT'),
    async rollbackTransaction(connection) {
      // The server rolls back when the connection is closed. A ROLLBACK to a server that does not respond would time out too.
      const isClosing = connection instanceof PoolConnection && connection.isUnusable
      if (!isClosing) await run('ROLLBACK')(connection)
    },
    async releaseConnection(connection) {
      if (connection instanceof PoolConnection) connection.release()
    },
    destroy: async () => undefined,
  }
}

class PoolConnection implements DatabaseConnection {
  readonly #client: pg.PoolClient
  #isUnusable = false

  constructor(client: pg.PoolClient) {
    this.#client = client
  }

  /** Whether it is closed when it is released. */
  get isUnusable(): boolean {
    return this.#isUnusable
  }

  async executeQuery<Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> {
    try {
      const response = this.#client.query(sql, parameters.map(toStorable))
      const { rows, rowCount } = await withMappedErrors(response)
      assertReplicated(this.#client)
      return { rows, ...(rowCount === null ? {} : { numAffectedRows: BigInt(rowCount) }) }
    } catch (error) {
      this.#isUnusable ||= isConnectionUnusable(error)
      // The client may retry: the conflicting transaction has ended.
      throw isTransactionConflict(error) ? storageUnavailable(error) : error
    }
  }

  // biome-ignore lint/correctness/useYield: it never yields.
  async *streamQuery(): AsyncGenerator<never> {
    throw new Error('Queries are not streamed')
  }

  release(): void {
    this.#client.release(this.#isUnusable)
  }
}

/**
 * Replaces U+0000, which PostgreSQL's `text` cannot store, by U+FFFD; `pg` does the same to lone surrogates. This
 * affects messages only: identifiers with such characters are rejected earlier.
 */
function toStorable(value: unknown): unknown {
  return typeof value === 'string' ? value.replaceAll('\u0000', '\ufffd') : value
}
