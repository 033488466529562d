/** The processor time of a process and of everything that it has started. */
import { readdirSync, readFileSync } from 'node:fs'
import { platform } from 'node:process'

/** Of /proc/…/stat; the same on all architectures of Linux that Node.js supports. */
const TICK_MS = 10

/**
 * @returns the processor time in milliseconds of a process, of its running descendants, and of all descendants that
 * have ended; null on systems other than Linux, which do not report it.
 */
export function readTreeMs(pid: number): number | null {
  if (platform !== 'linux') return null
  const all = new Map<number, { parent: number; ms: number }>()
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    const found = readStat(name)
    if (found) all.set(Number(name), found)
  }
  const inTree = (one: number): boolean => {
    for (let next = one; next > 0; next = all.get(next)?.parent ?? 0) if (next === pid) return true
    return false
  }
  return [...all].reduce((sum, [one, { ms }]) => (inTree(one) ? sum + ms : sum), 0)
}

/**
 * @returns the milliseconds that all processors of the machine have worked since it started, for all programs and for
 * other virtual machines; null on systems other than Linux. Fields: proc_stat(5).
 */
export function readMachineMs(): number | null {
  if (platform !== 'linux') return null
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = readFileSync(
    '/proc/stat',
    'utf8',
  )
    .slice('cpu '.length, 200)
    .trim()
    .split(/\s+/, 8)
    .map(Number)
  return (user + nice + system + irq + softirq + steal) * TICK_MS
}

/** Null if the process has ended. */
function readStat(pid: string): { parent: number; ms: number } | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program, in parentheses, can contain spaces. Fields: proc_pid_stat(5).
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    const times = fields.slice(11, 15).map(Number)
    return { parent: Number(fields[1]), ms: times.reduce((sum, one) => sum + one, 0) * TICK_MS }
  } catch {
    return null
  }
}
