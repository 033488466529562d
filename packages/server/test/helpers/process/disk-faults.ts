/** Slow and failing disks for processes that a test starts; see `disk-faults.c`. */
import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { compileShim } from './compile-shim.ts'

const SOURCE = new URL('./disk-faults.c', import.meta.url)

/** The environment of a process whose fsyncs take longer. */
export function slowDiskEnvironment(milliseconds: number): Record<string, string> {
  return { LD_PRELOAD: compileShim(SOURCE), DISK_FSYNC_DELAY_MS: String(milliseconds) }
}

export type DiskFault = {
  call: 'sync' | 'write'
  /** The end of the path of the files. */
  file: string
  error: 'EIO' | 'ENOSPC' | 'EDQUOT' | 'EROFS'
  /** Whether only the first call fails. */
  once: boolean
  /** Only calls of the main thread, or of the other threads, fail. */
  thread?: 'main' | 'other'
}

export type DiskFaults = {
  /** The environment of the processes whose calls fail. */
  environment: Record<string, string>
  /** From now on, calls fail. */
  cause: (fault: DiskFault) => void
  /** Whether the fault of `once` has not failed a call yet. */
  isPending: () => boolean
  /** From now on, no call fails. */
  end: () => void
}

/** @param folder receives the control file. */
export function createDiskFaults(folder: string): DiskFaults {
  const control = join(folder, 'disk-fault')
  return {
    environment: { LD_PRELOAD: compileShim(SOURCE), DISK_FAULT: control },
    cause({ call, file, error, once, thread }) {
      const times = once ? 'once' : 'always'
      const rule = [call, file, constants.errno[error], times, ...(thread ? [thread] : [])]
      writeFileSync(`${control}.new`, `${rule.join(' ')}\n`)
      renameSync(`${control}.new`, control)
    },
    isPending: () => existsSync(control),
    end: () => rmSync(control, { force: true }),
  }
}
