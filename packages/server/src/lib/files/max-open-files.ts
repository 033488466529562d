import { readFileSync } from 'node:fs'

/** The maximum number of open file descriptors of this process (`ulimit -n`); null where it is unknown. Linux only. */
export function readMaxOpenFiles(): number | null {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8')
    const max = /^Max open files\s+(\d+)/m.exec(limits)?.[1]
    return max === undefined ? null : Number(max)
  } catch {
    return null
  }
}
