/** The machine of a run: its description, and two ways to make it slower. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { slowDiskEnvironment } from '../packages/server/test/helpers/process/disk-faults.ts'

/** The first word of the commands of the hub: `taskset` restricts it to one core. */
let launcher: readonly string[] = []

export function currentLauncher(): readonly string[] {
  return launcher
}

/** The hub runs on one core, and so does PostgreSQL; the load and the platforms use the others. */
export function useOneCore(): void {
  launcher = ['taskset', '--cpu-list', '0']
}

/** Restricts a running process and its later children to the core of {@link useOneCore}. */
export function restrict(pid: number): void {
  if (launcher.length === 0) return
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)], {
    stdio: 'ignore',
  })
}

/** Makes every fsync of the processes started from now on 5 ms slower, as on a cheap cloud disk. */
export function useSlowDisk(): void {
  Object.assign(process.env, slowDiskEnvironment(5))
}

/** Such as `2 × Intel Xeon, 8 GB, Node 24.21.0, Linux 6.1`. */
export function describeMachine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 1e9)
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${memory} GB, Node ${process.versions.node}`
}
