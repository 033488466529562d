/** Podman and Buildah with images and volumes in a folder of their own, so that a check changes nothing else. */
import { join } from 'node:path'
import { getuid } from 'node:process'
import { findMissing, isInstalled, ProgramError, run, runToEnd } from './programs.ts'

export type Engine = {
  buildah: (...args: string[]) => Promise<string>
  podman: (...args: string[]) => Promise<string>
  /** The exit code of a command, whatever it is. */
  podmanCode: (...args: string[]) => Promise<number | null>
  storage: readonly string[]
}

/** @returns why containers cannot be built here; null if they can. */
export function findEngineIssue(): string | null {
  if (getuid?.() !== 0) return 'the check needs root, because Debian builds the base images as root'
  const missing = findMissing('podman', 'buildah', 'mmdebstrap', 'npm')
  return missing.length === 0 ? null : `${missing.join(', ')} not installed`
}

export function createEngine(work: string): Engine {
  const storage = ['--storage-driver=overlay', `--root=${join(work, 'storage')}`]
  const runroot = `--runroot=${join(work, 'run')}`
  const podman = [...storage, runroot, `--tmpdir=${join(work, 'tmp')}`]
  // Both runtimes work with cgroups v2, and only runc with the two versions side by side.
  if (isInstalled('runc')) podman.push('--runtime=runc')
  return {
    storage: [...storage, runroot],
    buildah: (...args) => run('buildah', [...storage, runroot, ...args]),
    podman: (...args) => run('podman', [...podman, ...args]),
    podmanCode: async (...args) => (await runToEnd('podman', [...podman, ...args])).code,
  }
}

/**
 * Finds out how this machine can run containers.
 * @returns the options of `podman run`; or, of each attempt, the reason why it failed.
 */
export async function findRunOptions(
  engine: Engine,
  image: string,
): Promise<{ options: readonly string[] | null; reasons: string[] }> {
  // Without CAP_SYS_RESOURCE, no container may raise its limits above those of this process.
  const limits = ['--ulimit=nofile=4096:4096', '--ulimit=nproc=4096:4096']
  const reasons: string[] = []
  for (const options of [[], limits, [...limits, '--cgroups=disabled']]) {
    try {
      await engine.podman(
        'run',
        '--rm',
        '--pull=never',
        '--network=host',
        ...options,
        image,
        '--version',
      )
      return { options, reasons }
    } catch (error) {
      if (!(error instanceof ProgramError)) throw error
      const message = /^Error: (.*)$/m.exec(error.message)?.[1] ?? error.message
      reasons.push(`podman run ${options.join(' ')}: ${message}`)
    }
  }
  return { options: null, reasons }
}
