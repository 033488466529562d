/**
 * A lock file for exclusive access. Node has no operating system locks, so the file names the process that holds the lock,
 * and this process touches the file regularly while it runs (a heartbeat).
 */
import { readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

export type FileLock = {
  /** Reads the file: false once another process has acquired the lock. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

type Holder = { host: string; pid: number; started: number }

/** The state of a lock file. Each holder writes another text, and a running holder changes `touchedAt` regularly. */
type Observed = { text: string; touchedAt: number }

const HEARTBEAT_MS = 2000
/** A lock is stale if its file has not been touched for this long. */
const STALE_AFTER_MS = 5 * HEARTBEAT_MS
const CHECK_INTERVAL_MS = 250
/** Distinguishes two processes with the same process id. Each thread, and each copy of this module, computes it. */
const STARTED = readStartTime()

/**
 * Acquires the lock, also if its holder has ended: immediately if the holder ran on this machine, otherwise after observing
 * the file for a while, since the clocks of machines differ.
 * @throws Error if a running process holds the lock, or the file cannot be written.
 */
export async function acquireFileLock(path: string): Promise<FileLock> {
  const text = JSON.stringify({ ...thisProcess(), token: crypto.randomUUID() })
  while (!(await createFile(path, text))) {
    const observed = await observe(path)
    if (observed === null) continue
    const holder = parseHolder(observed.text)
    if (!hasEnded(holder) && !(await becomesStale(path, observed))) throw inUse(path, holder)
    await removeStale(path, observed)
  }
  return holdLock(path, text)
}

function holdLock(path: string, text: string): FileLock {
  const isHeld = async () => (await readIfExists(path)) === text
  async function touch(): Promise<void> {
    const now = new Date()
    if (await isHeld()) await utimes(path, now, now)
  }
  const heartbeat = setInterval(() => {
    // A temporary error of the disk must not end the lock.
    touch().catch(() => undefined)
  }, HEARTBEAT_MS)
  heartbeat.unref()
  return {
    isHeld,
    async release() {
      clearInterval(heartbeat)
      if (await isHeld()) await unlink(path)
    },
  }
}

/** Returns false if the file exists. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // A full disk may create the file without its content.
    if (codeOf(error) === 'ENOSPC') await unlink(path).catch(() => undefined)
    throw error
  }
}

/** Observes the file. True if it is not touched for {@link STALE_AFTER_MS}, or another holder replaces it meanwhile. */
async function becomesStale(path: string, observed: Observed): Promise<boolean> {
  for (let waited = 0; waited < STALE_AFTER_MS; waited += CHECK_INTERVAL_MS) {
    await pause(CHECK_INTERVAL_MS)
    const now = await observe(path)
    if (!isSame(now, observed)) return now?.text !== observed.text
  }
  return true
}

/**
 * Deletes the stale lock, unless another process has replaced it. A second lock allows only one process at a time to
 * check and delete.
 */
async function removeStale(path: string, observed: Observed): Promise<void> {
  if (!isSame(await observe(path), observed)) return
  const removal = await acquireFileLock(`${path}.remove`)
  try {
    if (isSame(await observe(path), observed)) await unlink(path)
  } finally {
    await removal.release()
  }
}

function isSame(one: Observed | null, other: Observed): boolean {
  return one?.text === other.text && one.touchedAt === other.touchedAt
}

/**
 * The start of the process in milliseconds of the monotonic clock. Two clocks are read one after the other. If the thread
 * was suspended in between, it reads them again: otherwise it would compute another time than the other threads, and
 * take their locks for those of an ended process.
 */
function readStartTime(): number {
  const readings = Array.from({ length: 20 }, () => {
    const before = Number(process.hrtime.bigint()) / 1e6
    const uptime = process.uptime() * 1000
    const took = Number(process.hrtime.bigint()) / 1e6 - before
    return { started: Math.round(before - uptime), took }
  })
  return readings.reduce((best, one) => (one.took < best.took ? one : best)).started
}

function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, started: STARTED }
}

/** Whether the holder has certainly ended; false for processes of other machines, whose state is unknown. */
function hasEnded(holder: Holder | null): boolean {
  const own = thisProcess()
  if (holder?.host !== own.host) return false
  if (holder.pid === own.pid) return Math.abs(holder.started - own.started) > 100
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Returns null if the file is not written yet. */
function parseHolder(text: string): Holder | null {
  try {
    const { host, pid, started }: Holder = JSON.parse(text)
    return { host, pid, started }
  } catch {
    return null
  }
}

function inUse(path: string, holder: Holder | null): Error {
  const user = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  return new Error(
    `It is in use by ${user}, according to ${path}. Each process needs its own file.`,
  )
}

/** Returns null if there is no lock file. */
async function observe(path: string): Promise<Observed | null> {
  const text = await readIfExists(path)
  if (text === null) return null
  return stat(path).then(
    ({ mtimeMs }) => ({ text, touchedAt: mtimeMs }),
    () => null,
  )
}

async function readIfExists(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return null
    throw error
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
