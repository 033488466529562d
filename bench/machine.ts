/** The machine of a run: its description, and two ways to make it slower. */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir, totalmem } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

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

/**
 * Makes every fsync of the processes started from now on 5 ms slower, with a library that is compiled with `cc`
 * and loaded with LD_PRELOAD.
 */
export function useSlowDisk(): void {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-slow-fsync-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const library = join(folder, 'slow-fsync.so')
  const source = fileURLToPath(new URL('./slow-fsync.c', import.meta.url))
  execFileSync('cc', ['-shared', '-fPIC', '-O2', '-o', library, source, '-ldl'])
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  process.env['LD_PRELOAD'] = library
}

/** Such as `2 × Intel Xeon, 8 GB, Node 24.21.0, Linux 6.1`. */
export function describeMachine(): string {
  const [first] = cpus()
  const memory = Math.round(totalmem() / 1e9)
  return `${cpus().length} × ${first?.model.trim() ?? 'unknown processor'}, ${memory} GB, Node ${process.versions.node}`
}
