/** Mounts that only the processes of a test see, in a mount namespace of their own. They end with the test. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

/** Without privileges, a user namespace is needed to mount. */
const IS_ROOT = process.getuid?.() === 0
const NEW_NAMESPACE = ['unshare', '--mount', ...(IS_ROOT ? [] : ['--map-root-user'])] as const

/** Why the tests that mount file systems cannot run on this machine; false if they can. */
export const noMounts: string | false = findObstacle()

function findObstacle(): string | false {
  if (process.platform !== 'linux') return 'mount namespaces are used on Linux only'
  const [program, ...args] = NEW_NAMESPACE
  const { status } = spawnSync(program, [...args, 'mount', '-t', 'tmpfs', 'none', '/mnt'])
  return status === 0 ? false : 'mounting a file system is not permitted'
}

export type Mount = {
  /** The `shell` of processes that see the mount. */
  shell: string
  /** The path of the folder of the mount, for this process. */
  path: string
}

/** Replaces `data` in a folder by a file system in memory. */
export function mountMemory(
  t: Pick<TestContext, 'after'>,
  folder: string,
  megabytes: number,
): Promise<Mount> {
  return mount(t, folder, `mount -t tmpfs -o size=${megabytes}m,mode=0700 none data`)
}

/** Makes `data` in a folder read-only, also for root. */
export function mountReadOnly(t: Pick<TestContext, 'after'>, folder: string): Promise<Mount> {
  return mount(t, folder, 'mount --bind data data && mount -o remount,bind,ro data')
}

async function mount(
  t: Pick<TestContext, 'after'>,
  folder: string,
  command: string,
): Promise<Mount> {
  mkdirSync(join(folder, 'data'), { recursive: true })
  const [program, ...args] = NEW_NAMESPACE
  // The namespace exists as long as this process, which ends with its input.
  const holder = spawn(program, [...args, 'sh', '-c', `${command} && echo mounted && exec cat`], {
    cwd: folder,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => holder.kill('SIGKILL'))
  const mounted = once(holder.stdout, 'data')
  const ended = once(holder, 'exit').then(([code]) => {
    throw new Error(`The mount failed with exit code ${code}`)
  })
  ended.catch(() => undefined)
  await Promise.race([mounted, ended])
  const user = IS_ROOT ? '' : '--user --preserve-credentials'
  return {
    shell: `exec nsenter --target ${holder.pid} ${user} --mount --wd "$0" "$@"`,
    path: `/proc/${holder.pid}/root${folder}/data`,
  }
}
