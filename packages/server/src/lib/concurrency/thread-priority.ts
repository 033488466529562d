import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/**
 * Lets other threads and processes come before the calling thread. Only Linux has priorities of threads (setpriority(2)):
 * elsewhere, and where the process cannot read its own folder in /proc, nothing changes.
 */
export function lowerThreadPriority(): void {
  try {
    const [pid, , thread] = readlinkSync('/proc/thread-self').split('/')
    // The folder can be that of another namespace, whose ids name other processes.
    if (Number(pid) !== process.pid) return
    const id = Number(thread)
    setPriority(id, Math.max(getPriority(id), constants.priority.PRIORITY_BELOW_NORMAL))
  } catch {
    // Without a lower priority, the thread takes more time from others, and nothing else changes.
  }
}
