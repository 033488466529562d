/**
 * A file that says who has something to itself. Node has no locks of the operating system, so it names its
 * process, and the process touches it again and again as long as it lives.
 */
import { link, readFile, rename, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

export type FileLock = {
  /** Asks the file itself: false from when another process has taken it. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

type Holder = { host: string; pid: number; started: number }

const BEAT_MS = 2000
/** A process that did not touch the file for so long is gone. */
const SILENCE_MS = 5 * BEAT_MS
const LOOK_MS = 250
/**
 * Another one for a process that got the number of one before it. Asked once, since a process that is kept waiting
 * between the two clocks would not know itself again.
 */
const STARTED = Math.round(Number(process.hrtime.bigint()) / 1e6 - process.uptime() * 1000)

/**
 * Takes the lock, also from a process that is gone: at once where it was on this machine, else after watching
 * the file for a while, since clocks of machines differ.
 * @throws Error where a living process has it, or the file cannot be written.
 */
export async function takeFileLock(path: string): Promise<FileLock> {
  const text = JSON.stringify({ ...thisProcess(), token: crypto.randomUUID() })
  while (!(await createFile(path, text))) {
    const there = await readIfThere(path)
    if (there === null) continue
    const holder = parseHolder(there)
    if (!isGone(holder) && !(await fellSilent(path, there))) throw inUse(path, holder)
    await removeStale(path, there)
  }
  return holdLock(path, text)
}

function holdLock(path: string, text: string): FileLock {
  const isHeld = async () => (await readIfThere(path)) === text
  async function beat(): Promise<void> {
    const now = new Date()
    if (await isHeld()) await utimes(path, now, now)
  }
  const beating = setInterval(() => {
    // A disk that fails for a moment takes nothing from anybody.
    beat().catch(() => undefined)
  }, BEAT_MS)
  beating.unref()
  return {
    isHeld,
    async release() {
      clearInterval(beating)
      if (await isHeld()) await unlink(path)
    },
  }
}

/** False where it is there already. */
async function createFile(path: string, text: string): Promise<boolean> {
  try {
    await writeFile(path, text, { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    // A full disk may take the name and not what is in it.
    if (codeOf(error) === 'ENOSPC') await unlink(path).catch(() => undefined)
    throw error
  }
}

/** Whether the file stays as it is for longer than a living process leaves it. */
async function fellSilent(path: string, text: string): Promise<boolean> {
  const before = await touchedAt(path)
  for (let waited = 0; waited < SILENCE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS)
    if ((await touchedAt(path)) !== before) return (await readIfThere(path)) !== text
  }
  return true
}

/** Takes away what was read, and nothing that another process has put in its place meanwhile. */
async function removeStale(path: string, text: string): Promise<void> {
  if ((await readIfThere(path)) !== text) return
  const aside = `${path}.${crypto.randomUUID()}`
  try {
    await rename(path, aside)
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return
    throw error
  }
  if ((await readIfThere(aside)) !== text) await link(aside, path).catch(() => undefined)
  await unlink(aside)
}

function thisProcess(): Holder {
  return { host: hostname(), pid: process.pid, started: STARTED }
}

/** Whether it is known to have ended: another machine's processes are not seen from here. */
function isGone(holder: Holder | null): boolean {
  const here = thisProcess()
  if (holder?.host !== here.host) return false
  if (holder.pid === here.pid) return Math.abs(holder.started - here.started) > 100
  try {
    process.kill(holder.pid, 0)
    return false
  } catch (error) {
    return codeOf(error) === 'ESRCH'
  }
}

/** Null where it is not written yet. */
function parseHolder(text: string): Holder | null {
  try {
    const { host, pid, started }: Holder = JSON.parse(text)
    return { host, pid, started }
  } catch {
    return null
  }
}

function inUse(path: string, holder: Holder | null): Error {
  const who = holder ? `process ${holder.pid} on ${holder.host}` : 'another process'
  return new Error(`It is in use by ${who}, as ${path} says. Give each process a file of its own.`)
}

async function touchedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}

async function readIfThere(path: string): Promise<string | null> {
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
