/** A hub in a container, started as deploy/README.md describes. */
import { findFreePort } from '../../packages/server/test/helpers/process/free-port.ts'
import { OPERATOR } from '../../packages/server/test/helpers/process/sandbox.ts'
import { until } from '../../packages/server/test/helpers/time/until.ts'
import { IMAGE } from './build-image.ts'
import type { Cleanup } from './cleanup.ts'
import type { Engine } from './container-engine.ts'

export type ContainerHub = {
  name: string
  address: string
  start: () => Promise<void>
  /** Sends SIGTERM, and SIGKILL after 30 s. @returns the seconds that it took, and the exit code. */
  stop: () => Promise<{ seconds: number; code: number }>
  kill: () => Promise<void>
  /** Runs the health check of the image. */
  isHealthy: () => Promise<boolean>
  /** Runs JavaScript in the container. @returns what it prints. */
  evaluate: (script: string) => Promise<string>
}

type ContainerOptions = {
  name: string
  /** Options of `podman run` that this machine requires. */
  options: readonly string[]
  env?: Record<string, string>
  /** Files in the container, with their path outside. */
  files?: Record<string, string>
}

/** The name of the container is also the name of its volume. Both are removed at the end. */
export async function startContainer(
  t: Cleanup,
  engine: Engine,
  { name, options, env = {}, files = {} }: ContainerOptions,
): Promise<ContainerHub> {
  const port = await findFreePort()
  const variables = {
    PORT: `${port}`,
    HOST: '127.0.0.1',
    HUB_PULL_SCHEDULE: 'off',
    HUB_LOG_LEVEL: 'warn',
    HUB_ADMIN_EMAIL: OPERATOR.email,
    HUB_ADMIN_PASSWORD: OPERATOR.password,
    ...env,
  }
  t.after(() => engine.podman('rm', '--force', '--ignore', '--volumes', '--time=0', name))
  t.after(() => engine.podmanCode('volume', 'rm', '--force', name))
  await engine.podman(
    ...['run', '--detach', '--pull=never', '--name', name, '--network=host', ...options],
    ...['--read-only', '--read-only-tmpfs=false', '--tmpfs=/tmp', '--cap-drop=all'],
    ...['--security-opt=no-new-privileges', '--stop-timeout=30'],
    ...['--volume', `${name}:/var/lib/recordhub`],
    ...Object.entries(files).flatMap(([path, file]) => ['--volume', `${file}:${path}:ro`]),
    ...Object.entries(variables).flatMap(([variable, value]) => ['--env', `${variable}=${value}`]),
    IMAGE,
  )
  const hub: ContainerHub = {
    name,
    address: `http://127.0.0.1:${port}`,
    async start() {
      await engine.podman('start', name)
      await untilReady(hub, engine)
    },
    async stop() {
      const started = performance.now()
      await engine.podman('stop', '--time=30', name)
      const seconds = (performance.now() - started) / 1000
      return {
        seconds,
        code: Number(await engine.podman('inspect', '--format', '{{.State.ExitCode}}', name)),
      }
    },
    kill: async () => void (await engine.podman('kill', '--signal=KILL', name)),
    isHealthy: async () => (await engine.podmanCode('healthcheck', 'run', name)) === 0,
    evaluate: async (script) =>
      (await engine.podman('exec', name, '/usr/local/bin/node', '--eval', script)).trim(),
  }
  await untilReady(hub, engine)
  return hub
}

async function untilReady({ name, address }: ContainerHub, engine: Engine): Promise<void> {
  await until(async () => {
    const response = await fetch(`${address}/readyz`).catch(() => null)
    if (response?.ok) return true
    const state = (await engine.podman('inspect', '--format', '{{.State.Status}}', name)).trim()
    if (state === 'exited') {
      throw new Error(`The container ended: ${await engine.podman('logs', '--tail=20', name)}`)
    }
    return null
  }, `the hub in container ${name} is ready`)
}
