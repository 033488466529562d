/** The machine of a run and the hub that runs on it, and two ways to make it slower. */
import { execFileSync } from 'node:child_process'
import { cpus, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { slowDiskEnvironment } from '../packages/server/test/helpers/process/disk-faults.ts'

/** The first word of the commands of the hub: `taskset` restricts it to one core. */
let launcher: readonly string[] = []

export function currentLauncher(): readonly string[] {
  return launcher
}

/** The program of the hub: its source files, unless {@link usePackage} was called. */
let program: { path: string; isPackage: boolean } = {
  path: '../packages/server/src/main.ts',
  isPackage: false,
}

export function currentProgram() {
  return program
}

/** The hub is the package that was installed in this folder with `npm install <tarball>`. */
export function usePackage(folder: string): void {
  program = { path: join(resolve(folder), 'node_modules/recordhub/dist/main.js'), isPackage: true }
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
