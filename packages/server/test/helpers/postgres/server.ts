/** A real PostgreSQL server for tests in a temporary folder, which is removed with the test process. */
import { randomBytes } from 'node:crypto'
import { findFreePort } from '../process/free-port.ts'
import { type Binaries, downloadBinaries, findInstalledBinaries } from './binaries.ts'
import { type Cluster, createCluster, DURABLE, runServer, USER } from './cluster.ts'
import { makeServerFolder, removeServerFolder } from './folder.ts'
import { type ServerProcess, serverUser } from './process.ts'

export type PostgresServer = {
  /** For the superuser `recordhub`, with its password and the database `postgres`. */
  url: string
  port: number
  /** Contains the data (`data`) and the log (`postgres.log`). */
  folder: string
  binaries: Binaries['origin']
  /** Such as `18.4`. */
  version: string
  /** Resolves when the server accepts connections, on the same port as before. */
  start(): Promise<void>
  /** Runs a fast shutdown, which ends all connections. Does nothing if the server is not running. */
  stop(): Promise<void>
  restart(): Promise<void>
  /** A crash: SIGKILL for all its processes. `start` recovers the data; without `durable`, commits of sessions that do not set `synchronous_commit` may be lost. */
  kill(): Promise<void>
  /** Stops the server at once and deletes its folder. */
  remove(): Promise<void>
}

export type PostgresOptions = {
  /** Whether commits survive a crash of the machine; by default they do not, which is faster. */
  durable?: boolean
  settings?: Record<string, string>
  /** Stores the data on the disk instead of in memory. */
  onDisk?: boolean
}

/**
 * Starts a server with an empty cluster: UTF-8, locale C, SCRAM passwords, on a free
 * loopback port. It does not keep this process alive, and ends with it.
 * Rejects with the attempts and the output of the programs, and then leaves nothing behind.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = serverUser()
  const tried: string[] = []
  const machine = findInstalledBinaries(user, tried)
  const folder = await makeServerFolder(user, {
    programs: machine === null && user !== null,
    onDisk: options.onDisk ?? false,
  })
  try {
    const binaries = machine ?? (await downloadBinaries(folder, user, tried))
    const password = randomBytes(12).toString('hex')
    const settings = { ...(options.durable && DURABLE), ...options.settings }
    const cluster = { folder, user, binaries, password, settings }
    await createCluster(cluster)
    return await startOnFreePort(cluster)
  } catch (error) {
    removeServerFolder(folder)
    throw error
  }
}

async function startOnFreePort(cluster: Cluster): Promise<PostgresServer> {
  for (let attempt = 1; ; attempt += 1) {
    const server = describeServer(cluster, await findFreePort())
    try {
      await server.start()
      return server
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (attempt === 3 || !String(error).includes('could not bind')) throw error
    }
  }
}

function describeServer(cluster: Cluster, port: number): PostgresServer {
  const { folder, binaries, password } = cluster
  let running: ServerProcess | null = null
  async function end(how: (postgres: ServerProcess) => void): Promise<void> {
    const postgres = running
    if (!postgres) return
    postgres.hold(true)
    how(postgres)
    await postgres.ended
  }
  const discard = () => {
    if (!running) removeServerFolder(folder)
  }
  // A running server deletes its folder itself.
  process.on('exit', discard)
  const server: PostgresServer = {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    binaries: binaries.origin,
    version: binaries.version,
    async start() {
      if (running) throw new Error('The PostgreSQL for tests runs already')
      const postgres = await runServer(cluster, port)
      running = postgres
      postgres.ended.then(() => {
        running = null
      })
    },
    stop: () => end((postgres) => postgres.signal('SIGINT')),
    kill: () => end((postgres) => postgres.killAll()),
    async restart() {
      await server.stop()
      await server.start()
    },
    async remove() {
      await end((postgres) => postgres.signal('SIGQUIT'))
      removeServerFolder(folder)
      process.off('exit', discard)
    },
  }
  return server
}
