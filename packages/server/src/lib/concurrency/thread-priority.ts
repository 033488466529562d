import { readlinkSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/**
 * Lowers the priority of the calling thread, so that it gets less of a busy processor than other threads and processes. The
 * threads that it starts inherit the priority, as those of libuv's pool would after its first asynchronous access to a file.
 * Only Linux has priorities of single threads (setpriority(2)). Elsewhere, and without the process's own folder in /proc,
 * nothing changes.
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
