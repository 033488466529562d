import { setTimeout as sleep } from 'node:timers/promises'
import { HubError, messageOf } from '../../errors.ts'
import { integerOf, type Row, textOf } from '../shared/schema/databases.ts'
import { describeServer, openClient, type SingleConnection } from './connection.ts'
import { codeOf, isUnavailable } from './map-error.ts'

const MIN_VERSION = 15
const PAUSE_MS = 1000

export type WaitOptions = {
  /** How long to wait for a database that is not available yet. */
  seconds: number
  /** Aborts the wait. */
  signal?: AbortSignal
}

/** As `connectWhenUsable`, without keeping the connection. */
export async function waitForDatabase(
  ...options: Parameters<typeof connectWhenUsable>
): Promise<void> {
  const { end } = await connectWhenUsable(...options)
  await end()
}

/**
 * Connects as soon as the database can be used: it may be starting together with the hub, or a standby may be about to become
 * the primary. Warns once for each reason to wait.
 * @throws HubError `database_rejected` for errors that do not go away (a wrong password, a missing database, an
 *   unsupported version or encoding), `storage_unavailable` after the timeout, `shutting_down` when the signal aborts.
 */
export async function connectWhenUsable(
  url: string,
  waiting: WaitOptions,
  warn: (message: string) => void,
): Promise<SingleConnection> {
  const { server } = describeServer(url)
  const deadline = performance.now() + waiting.seconds * 1000
  let lastReason = ''
  for (;;) {
    const connection = openClient(url)
    const reason = await findObstacle(connection, url)
    if (reason === null) return connection
    if (performance.now() >= deadline) {
      const message = `PostgreSQL at ${server} cannot be used after ${waiting.seconds} s: ${reason}. Start it, or check DATABASE_URL.`
      throw HubError.withMessage('storage_unavailable', message)
    }
    if (reason !== lastReason) warn(`Waiting for PostgreSQL at ${server}: ${reason}.`)
    lastReason = reason
    // The timer is not unref'd: at startup, nothing else keeps the process alive.
    await sleep(PAUSE_MS, undefined, waiting.signal ? { signal: waiting.signal } : {}).catch(() => {
      throw new HubError('shutting_down', { seconds: 5 }, { retryAfterSeconds: 5 })
    })
  }
}

/** Connects. Returns why the database cannot be used yet, or null if it can; otherwise, the connection is closed. */
async function findObstacle(connection: SingleConnection, url: string): Promise<string | null> {
  let isUsable = false
  try {
    const obstacle = await connect(connection)
    isUsable = obstacle === null
    return obstacle
  } catch (error) {
    return toReason(error, url)
  } finally {
    if (!isUsable) await connection.end()
  }
}

async function connect({ client }: SingleConnection): Promise<string | null> {
  await client.connect()
  const { rows } = await client.query<Row>(
    `SELECT current_setting('server_version_num')::int AS version,
        current_setting('server_encoding') AS encoding,
        current_setting('transaction_read_only') AS read_only`,
  )
  const row = rows[0] ?? {}
  const version = Math.floor(integerOf(row, 'version') / 10_000)
  if (version < MIN_VERSION) {
    throw databaseRejected(`PostgreSQL ${MIN_VERSION} or later is needed; this is ${version}`)
  }
  const encoding = textOf(row, 'encoding')
  if (encoding !== 'UTF8') {
    throw databaseRejected(
      `the database's encoding is ${encoding}; create one with ENCODING 'UTF8' TEMPLATE template0`,
    )
  }
  return textOf(row, 'read_only') === 'on' ? 'it is read-only (a standby, or set so)' : null
}

/** @throws HubError `database_rejected` if waiting cannot help. */
function toReason(error: unknown, url: string): string {
  if (error instanceof HubError) throw error
  const { server, user, database } = describeServer(url)
  // An AggregateError has one error for each address of the server.
  const reason = messageOf(error instanceof AggregateError ? error.errors[0] : error)
  const code = codeOf(error)
  if (code === '28P01') {
    throw databaseRejected(`PostgreSQL at ${server} does not accept the password of "${user}"`)
  }
  if (code === '3D000') {
    throw databaseRejected(
      `PostgreSQL at ${server} has no database "${database}"; create it with: createdb ${database}`,
    )
  }
  if (code.startsWith('28') || code === '42501' || !isUnavailable(error)) {
    throw databaseRejected(`PostgreSQL at ${server} rejects the connection: ${reason}`)
  }
  return reason
}

function databaseRejected(reason: string): HubError {
  return new HubError('database_rejected', { reason })
}
