import { type ChildProcess, fork } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { Pull } from '@recordhub/protocol'
import type { Config } from '../config/settings.ts'
import { aborted } from '../lib/time/run-periodically.ts'
import type { CommandContext } from './arguments.ts'
import { createLogger } from './create-logger.ts'
import { createPastTime, playHistory } from './demo/history.ts'
import type { DemoMessage, PlatformMessage } from './demo/sample-platform.ts'
import type { RunningHub } from './library.ts'
import { stopSignal } from './program.ts'
import { startHub } from './start.ts'

const OPERATOR_NAME = 'Demo Operator'
const OPERATOR = { email: 'demo@recordhub.example', password: 'three sample platforms' }
const PULL_POLL_MS = 200

/** A client of the hub's API, signed in as the operator of the demo. */
type Operator = {
  get: (path: string) => Promise<Response>
  post: (path: string, body?: unknown) => Promise<Response>
}

/**
 * `recordhub demo`: runs a hub in a temporary folder, which is deleted at the end, and three platforms in processes of
 * their own. They are registered through the public API, and the hub then lives through 24 hours in a few seconds.
 */
export async function demo({ config, given, print }: CommandContext): Promise<void> {
  const signal = stopSignal()
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-demo-'))
  const children: ChildProcess[] = []
  let hub: RunningHub | null = null
  try {
    const settings: Config = {
      ...config,
      PORT: await findPort(config),
      DATABASE_URL: '',
      HUB_DATA_DIR: folder,
      HUB_ADMIN_EMAIL: OPERATOR.email,
      HUB_ADMIN_NAME: OPERATOR_NAME,
      HUB_ADMIN_PASSWORD: OPERATOR.password,
      HUB_PULL_SCHEDULE: '* * * * *',
      HUB_LOG_LEVEL: config.HUB_LOG_LEVEL === 'info' ? 'error' : config.HUB_LOG_LEVEL,
    }
    const time = createPastTime()
    hub = await startHub({ config: settings, given }, createLogger(settings), signal, time)
    const { address } = hub
    const operator = await signIn(address)
    const start = async (name: string) => {
      const sourceKey = randomBytes(16).toString('hex')
      const { child, port } = await startPlatform(name, sourceKey)
      children.push(child)
      const { title, hubApiKey } = await register(operator, `http://127.0.0.1:${port}`, sourceKey)
      const platform = createPlatform(child)
      platform.tell({ kind: 'connect', hub: address, hubApiKey })
      print(`${title} is registered, and pushes new and changed records.`)
      return platform
    }
    const platforms = {
      hr: await start('hr'),
      clinic: await start('clinic'),
      library: await start('library'),
    }
    print('The hub lives through the last 24 hours…')
    await playHistory(time, platforms, async () => {
      signal.throwIfAborted()
      const { pulls }: { pulls: Pull[] } = Object(
        await readBody(await operator.get('/api/v1/pulls?limit=1')),
      )
      return pulls
    })
    for (const platform of Object.values(platforms)) platform.tell({ kind: 'live' })
    await pullAll(await signIn(address))
    print('')
    print(`  Open      ${hub.address}/dashboard`)
    print(`  E-mail    ${OPERATOR.email}`)
    print(`  Password  ${OPERATOR.password}`)
    print('')
    print('Ctrl-C ends the demo and deletes its data.')
    await Promise.race([aborted(signal), hub.failed])
  } finally {
    for (const child of children) child.kill()
    await hub?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The port of the settings if it is free, else 0 for any free port. */
function findPort(config: Config): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(0))
    probe.listen(config.PORT, config.HOST, () => probe.close(() => resolve(config.PORT)))
  })
}

function startPlatform(name: string, sourceKey: string) {
  const file = new URL('./demo/sample-platform.ts', import.meta.url)
  const child = fork(file, [name, sourceKey])
  return new Promise<{ child: ChildProcess; port: number }>((resolve, reject) => {
    child.once('message', (message: PlatformMessage) => {
      if ('port' in message) resolve({ child, port: message.port })
    })
    child.once('exit', () => reject(new Error(`The sample platform ${name} did not start`)))
  })
}

function createPlatform(child: ChildProcess) {
  const tell = (message: DemoMessage) => child.send(message)
  return {
    tell,
    setFaults: (faults: object) => tell({ kind: 'faults', ...faults }),
    push: (typos = 0) =>
      new Promise<void>((resolve) => {
        child.once('message', () => resolve())
        tell({ kind: 'push', typos })
      }),
  }
}

async function signIn(address: string): Promise<Operator> {
  const response = await fetch(`${address}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(OPERATOR),
  })
  const cookies = response.headers.getSetCookie().map((cookie) => cookie.split(';')[0])
  const cookie = cookies.join('; ')
  const session = await fetch(`${address}/api/v1/session`, { headers: { cookie } })
  const { csrf_token }: { csrf_token: string } = JSON.parse(await session.text())
  return {
    get: (path) => fetch(`${address}${path}`, { headers: { cookie } }),
    post: (path, body) =>
      fetch(`${address}${path}`, {
        method: 'POST',
        headers: { cookie, 'X-CSRF-TOKEN': csrf_token, 'Content-Type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  }
}

async function register(operator: Operator, source_base_url: string, source_api_key: string) {
  type Probe = { manifest: { platform_title: string; modules: { record_type: string }[] } }
  const target = { source_base_url, source_api_key }
  const probe: Probe = Object(
    await readBody(await operator.post('/api/v1/platforms/probe', target)),
  )
  const record_types = probe.manifest.modules.map((module) => module.record_type)
  const registered: { hub_api_key: string } = Object(
    await readBody(await operator.post('/api/v1/platforms', { ...target, record_types })),
  )
  return { title: probe.manifest.platform_title, hubApiKey: registered.hub_api_key }
}

/**
 * Starts a pull of all registered platforms. It first waits for the end of a scheduled pull, which may have started
 * before all platforms were registered.
 */
export async function pullAll(operator: Operator): Promise<void> {
  let response = await operator.post('/api/v1/pulls')
  while (response.status === 409) {
    await pause(PULL_POLL_MS)
    response = await operator.post('/api/v1/pulls')
  }
  await readBody(response)
}

/** @throws Error if the request failed. */
async function readBody(response: Response): Promise<unknown> {
  const text = await response.text()
  if (!response.ok) throw new Error(`${response.url} returned ${response.status}: ${text}`)
  return JSON.parse(text)
}
