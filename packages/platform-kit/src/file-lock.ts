/**
 * A file that says who has something to itself. Node has no locks of the operating system, so it names its
 * process, and the process touches it again and again as long as it lives.
 */
import { readFile, stat, unlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'

export type FileLock = {
  /** Asks the file itself: false from when another process has taken it. */
  isHeld: () => Promise<boolean>
  release: () => Promise<void>
}

type Holder = { host: string; pid: number; started: number }

/** A lock as it was found: another one has another text, and one that is alive another time soon. */
type Found = { text: string; touchedAt: number }

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
    const found = await look(path)
    if (found === null) continue
    const holder = parseHolder(found.text)
    if (!isGone(holder) && !(await fellSilent(path, found))) throw inUse(path, holder)
    await removeStale(path, found)
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

/** Whether the file stays as it is for longer than a living process leaves it, or is another one by then. */
async function fellSilent(path: string, found: Found): Promise<boolean> {
  for (let waited = 0; waited < SILENCE_MS; waited += LOOK_MS) {
    await pause(LOOK_MS)
    const now = await look(path)
    if (!isSame(now, found)) return now?.text !== found.text
  }
  return true
}

/**
 * Takes away what was found, and nothing that another process has put in its place meanwhile: only one at a time looks
 * whether it is still there and takes it away.
 */
async function removeStale(path: string, found: Found): Promise<void> {
  if (!isSame(await look(path), found)) return
  const turn = await takeFileLock(`${path}.turn`)
  try {
    if (isSame(await look(path), found)) await unlink(path)
  } finally {
    await turn.release()
  }
}

function isSame(one: Found | null, other: Found): boolean {
  return one?.text === other.text && one.touchedAt === other.touchedAt
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

/** Null where there is none. */
async function look(path: string): Promise<Found | null> {
  const text = await readIfThere(path)
  if (text === null) return null
  return stat(path).then(
    ({ mtimeMs }) => ({ text, touchedAt: mtimeMs }),
    () => null,
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
