/** The data folder and the process of a PostgreSQL server for tests. */
import { chown, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Binaries } from './binaries.ts'
import { type ServerProcess, superviseProcess, type User } from './process.ts'

export type Cluster = {
  folder: string
  user: User | null
  binaries: Binaries
  password: string
  /** Override the default settings of test servers. */
  settings: Record<string, string>
}

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '64MB',
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  // Shared memory in the data folder, so that a killed server leaves nothing elsewhere.
  dynamic_shared_memory_type: 'mmap',
}

export const DURABLE = { fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' }

export const USER = 'recordhub'
/** The beginning of the message, which continues with `read-only` on a standby. */
const READY = 'ready to accept'
/** A time limit for a server that hangs. */
const START_LIMIT = 180_000

/** Creates a cluster with UTF-8, locale C and MD5 passwords, since SCRAM takes 5 ms of processor time per connection. Rejects with the output of `initdb`. */
export async function createCluster({ folder, user, binaries, password }: Cluster): Promise<void> {
  const passwordFile = join(folder, 'password')
  await writeFile(passwordFile, password, { mode: 0o600 })
  if (user) await chown(passwordFile, user.uid, user.gid)
  const layout = ['-D', join(folder, 'data'), '-E', 'UTF8', '--no-locale', '--no-sync']
  const access = ['-U', USER, `--pwfile=${passwordFile}`, '--auth=md5']
  const initdb = superviseProcess([binaries.initdb, ...layout, ...access], { folder, user })
  const end = await initdb.ended
  if (end !== 'ended with 0') throw failure(binaries.initdb, binaries, end, initdb)
}

/** Copies the data of a stopped cluster into the folder of another one, as a standby. */
export async function copyAsStandby(primary: Cluster, { folder, user }: Cluster): Promise<void> {
  const script = 'cp -R "$0/data" data && touch data/standby.signal'
  const copying = superviseProcess(['/bin/sh', '-c', script, primary.folder], { folder, user })
  const end = await copying.ended
  if (end !== 'ended with 0') throw failure('cp', primary.binaries, end, copying)
}

/** Resolves when the server accepts connections. Rejects with the end of its output if it does not. */
export async function runServer(cluster: Cluster, port: number): Promise<ServerProcess> {
  const { folder, user, binaries } = cluster
  const settings = Object.entries({ ...SETTINGS, ...cluster.settings, port: String(port) })
  const postgres = superviseProcess(
    [binaries.postgres, '-D', join(folder, 'data'), ...settings.map(([k, v]) => `--${k}=${v}`)],
    { folder, user },
  )
  const timeout = pause(START_LIMIT, `not ready after ${START_LIMIT} ms`, { ref: false })
  const end = await Promise.race([postgres.untilOutput(READY), postgres.ended, timeout])
  if (end !== undefined) {
    postgres.signalAll('SIGKILL')
    await postgres.ended
    throw failure(binaries.postgres, binaries, end, postgres)
  }
  postgres.setKeepAlive(false)
  return postgres
}

function failure(
  program: string,
  { origin, version }: Binaries,
  end: string,
  process: ServerProcess,
): Error {
  const output = process.readOutput().trimEnd().split('\n').slice(-20).join('\n')
  return new Error(`PostgreSQL ${version} (${origin}) for tests: ${program} ${end}:\n${output}`)
}
