import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Dialect, Kysely, sql } from 'kysely'
import pg from 'pg'
import type { Databases } from '../shared/schema/databases.ts'
import type { Tables } from '../shared/schema/tables.ts'
import { HubDialect } from './dialect.ts'
import { isSpent, translatingErrors } from './map-error.ts'

/** The connections of one node to one database. */
export type PostgresConnections = {
  /** The shared queries, and those of Better Auth. */
  database: Kysely<Tables>
  dialect: Dialect
  /** As `Databases.lightly`. */
  lightly: Databases['lightly']
  /**
   * Gives a connection of the write path, which sends a statement without waiting for the answer to
   * the one before. Where the work fails, its transaction is rolled back.
   */
  withWriter: <Result>(work: (client: pg.PoolClient) => Promise<Result>) => Promise<Result>
  /** Runs one statement outside of a transaction. */
  query: (text: string, values?: unknown[]) => Promise<pg.QueryResult>
  close: () => Promise<void>
}

/** A process takes at most so many, the writers, and one more for news of other processes. */
const MAX_CONNECTIONS = 8
/** One commits pushes; the others are for platforms that are pulled side by side. */
const MAX_WRITERS = 5
const CONNECT_TIMEOUT_MS = 5000
/** Where not even the server's own limit arrives, such as through a dead network. */
const QUERY_TIMEOUT_MS = 40_000
const END_LIMIT_MS = 3000

/** An acknowledged write is durable, whatever the server's default. */
const SESSION = {
  synchronous_commit: 'on',
  default_transaction_isolation: 'read committed',
  datestyle: 'ISO',
  jit: 'off',
}
const LIMITED_SESSION = {
  ...SESSION,
  statement_timeout: '30s',
  /** A node that froze half-way must not hold what others wait for. */
  idle_in_transaction_session_timeout: '30s',
}
const LIMITS = new Set(['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'])
/** Writes go by key and nothing else: a plan made while a table was empty must not read it all later. */
const WRITER_SESSION = { ...LIMITED_SESSION, lock_timeout: '10s', enable_seqscan: 'off' }

/** `int8` as a number; every number of the hub is below 2^53. */
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? parseSafeInteger
      : pg.types.getTypeParser(oid, format),
}

/** Makes connections as they are needed; an address that nobody answers at fails at the first use. */
export function openConnections(url: string): PostgresConnections {
  const sockets = new Sockets()
  const pool = openPool(url, LIMITED_SESSION, { max: MAX_CONNECTIONS, ...sockets.config })
  const pipeline = { max: MAX_WRITERS, pipeline: true, ...sockets.config }
  const writers = openPool(url, WRITER_SESSION, pipeline)
  const dialect = new HubDialect(pool)
  const database = new Kysely<Tables>({ dialect })
  const underWay = new Set<Promise<unknown>>()
  return {
    database,
    dialect,
    lightly: (work) =>
      database.transaction().execute(async (transaction) => {
        await sql`SET LOCAL synchronous_commit = off`.execute(transaction)
        return work(transaction)
      }),
    withWriter(work) {
      const done = translatingErrors(runOn(writers, work))
      underWay.add(done)
      const forget = () => void underWay.delete(done)
      done.then(forget, forget)
      return done
    },
    query: (text, values) => translatingErrors(pool.query(text, values)),
    close: () =>
      sockets.endWith(async () => {
        await Promise.allSettled(underWay)
        // Behind whatever waits for a connection already; a pool that ends leaves those waiting for ever.
        await database.connection().execute(async () => undefined)
        await Promise.all([pool.end(), writers.end()])
      }),
  }
}

/** Works on a connection without limits of time, such as migrations need. */
export async function withUnlimited<Result>(
  url: string,
  work: (database: Kysely<Tables>) => Promise<Result>,
): Promise<Result> {
  const sockets = new Sockets()
  const pool = openPool(url, SESSION, { max: 1, query_timeout: 0, ...sockets.config })
  try {
    return await work(new Kysely<Tables>({ dialect: new HubDialect(pool) }))
  } finally {
    await sockets.endWith(() => pool.end())
  }
}

/** A connection of its own, and its end. */
export function openClient(url: string): { client: pg.Client; end: () => Promise<void> } {
  const sockets = new Sockets()
  const client = new pg.Client({ ...clientConfig(url), ...sockets.config })
  // What breaks is told by the work on it.
  client.on('error', () => undefined)
  return { client, end: () => sockets.endWith(() => client.end()) }
}

/** A polite end waits for the other side, which may have fallen silent. */
class Sockets {
  readonly #open = new Set<Socket>()
  readonly config = {
    stream: () => {
      const socket = new Socket()
      this.#open.add(socket)
      socket.once('close', () => this.#open.delete(socket))
      return socket
    },
  }

  /** Resolves when the end has come, politely or not; it never rejects. */
  async endWith(end: () => Promise<unknown>): Promise<void> {
    const limit = new AbortController()
    const late = sleep(END_LIMIT_MS, undefined, { signal: limit.signal })
    await Promise.race([end(), late]).catch(() => undefined)
    limit.abort()
    await late.catch(() => undefined)
    for (const socket of this.#open) socket.destroy()
  }
}

/** What every client of this database is made with. */
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

/** Where a database is, in words that hold no secret. */
export function placeOf(url: string): { server: string; user: string; database: string } {
  const { host, port, user = '', database = user } = new pg.Client({ connectionString: url })
  return { server: host.startsWith('/') ? host : `${host}:${port}`, user, database }
}

/** Limits that the address itself sets stay. */
function openPool(url: string, session: Record<string, string>, config: pg.PoolConfig): pg.Pool {
  const given = new URL(url).searchParams
  const settings = Object.entries(session)
    .filter(([name]) => !(LIMITS.has(name) && given.has(name)))
    .map(([name, value]) => `SET ${name} = '${value}'`)
  const pool = new pg.Pool({
    ...clientConfig(url),
    ...config,
    // By statements: a pooler between would refuse them as parameters of the connection.
    onConnect: async (client) => void (await client.query(settings.join('; '))),
  })
  // One that breaks while nobody uses it is replaced when it is needed; else the work on it tells.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
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
      () => client.release(isSpent(error)),
      (broken: Error) => client.release(broken),
    )
    throw error
  }
}

function parseSafeInteger(text: string): number {
  const number = Number(text)
  if (Number.isSafeInteger(number)) return number
  throw new RangeError(`The database holds a number that is too large: ${text}`)
}
