/** A PostgreSQL server for tests in a temporary folder, which is deleted when the test process ends. */
import { randomBytes } from 'node:crypto'
import { findFreePort } from '../process/free-port.ts'
import { type Binaries, downloadBinaries, findInstalledBinaries } from './binaries.ts'
import { type Cluster, copyAsStandby, createCluster, DURABLE, runServer, USER } from './cluster.ts'
import { createServerFolder, removeServerFolder } from './folder.ts'
import { type ServerProcess, serverUser } from './process.ts'

export type PostgresServer = {
  /** The URL of the database `postgres`, with the superuser `recordhub` and its password. */
  url: string
  port: number
  /** Contains the data (`data`) and the log (`postgres.log`). */
  folder: string
  binaries: Binaries['origin']
  /** For example `18.4`. */
  version: string
  /** Resolves when the server accepts connections, on the same port as before. */
  start(): Promise<void>
  /**
   * Shuts down: `fast` ends all connections and writes a checkpoint, `immediate` ends without one. Does nothing if the
   * server is not running.
   */
  stop(mode?: 'fast' | 'immediate'): Promise<void>
  restart(): Promise<void>
  /**
   * Simulates a crash by SIGKILL to all processes. `start` recovers the data. Without `durable`, commits may be lost,
   * except in sessions that set `synchronous_commit`.
   */
  kill(): Promise<void>
  /** Suspends all processes with SIGSTOP: connections stay open, and the server responds to nothing. */
  suspend(): void
  /** Continues the processes with SIGCONT. */
  resume(): void
  /**
   * Copies the data, for which the server is stopped and started again, and starts the copy as a standby. It replicates
   * from `port`, by default that of the server.
   */
  startStandby(options: { name: string; port?: number }): Promise<PostgresServer>
  /** Stops the server immediately and deletes its folder. */
  remove(): Promise<void>
}

export type PostgresOptions = {
  /** Whether commits survive a crash. By default they do not, which is faster. */
  durable?: boolean
  settings?: Record<string, string>
  /** Stores the data on the disk instead of in memory. */
  onDisk?: boolean
}

/**
 * Starts a server on a free loopback port with an empty cluster: UTF-8, locale C, MD5 passwords. It does not keep
 * this process alive, and stops when this process ends. A rejection contains the attempts and the output of the
 * programs; the folder is deleted.
 */
export async function startPostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const user = serverUser()
  const attempts: string[] = []
  const installed = findInstalledBinaries(user, attempts)
  const folder = await createServerFolder(user, {
    programs: installed === null && user !== null,
    onDisk: options.onDisk ?? false,
  })
  try {
    const binaries = installed ?? (await downloadBinaries(folder, user, attempts))
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

/** The programs are in the folder of the first server. */
const COPY = { programs: false, onDisk: false }

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
  async function end(signal: (postgres: ServerProcess) => void): Promise<void> {
    const postgres = running
    if (!postgres) return
    postgres.setKeepAlive(true)
    signal(postgres)
    await postgres.ended
  }
  const discard = () => {
    if (!running) removeServerFolder(folder)
  }
  // The supervisor of a running server deletes the folder.
  process.on('exit', discard)
  const server: PostgresServer = {
    url: `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`,
    port,
    folder,
    binaries: binaries.origin,
    version: binaries.version,
    async start() {
      if (running) throw new Error('The PostgreSQL server is already running')
      const postgres = await runServer(cluster, port)
      running = postgres
      postgres.ended.then(() => {
        running = null
      })
    },
    stop: (mode = 'fast') =>
      end((postgres) => postgres.signal(mode === 'fast' ? 'SIGINT' : 'SIGQUIT')),
    kill: () => end((postgres) => postgres.signalAll('SIGKILL')),
    suspend: () => running?.signalAll('SIGSTOP'),
    resume: () => running?.signalAll('SIGCONT'),
    async restart() {
      await server.stop()
      await server.start()
    },
    async startStandby({ name, port: replicated = port }) {
      const copy = { ...cluster, folder: await createServerFolder(cluster.user, COPY) }
      await server.stop()
      await copyAsStandby(cluster, copy)
      await server.start()
      const connection = `host=127.0.0.1 port=${replicated} user=${USER} password=${password}`
      const primary_conninfo = `${connection} application_name=${name}`
      // The default of 5 s would make tests of a lost connection longer.
      const wal_retrieve_retry_interval = '200ms'
      copy.settings = { ...cluster.settings, primary_conninfo, wal_retrieve_retry_interval }
      return startOnFreePort(copy)
    },
    async remove() {
      server.resume()
      await server.stop('immediate')
      removeServerFolder(folder)
      process.off('exit', discard)
    },
  }
  return server
}
