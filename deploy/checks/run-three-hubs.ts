/**
 * Three hubs on one PostgreSQL behind Caddy with the deployed Caddyfile. One hub is killed and another one is stopped
 * while platforms push through Caddy.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { env, execPath } from 'node:process'
import { startPostgres } from '../../packages/server/test/helpers/postgres/server.ts'
import { findFreePort } from '../../packages/server/test/helpers/process/free-port.ts'
import {
  isAcknowledged,
  registerPusher,
  startPushing,
} from '../../packages/server/test/helpers/process/push-loop.ts'
import { OPERATOR } from '../../packages/server/test/helpers/process/sandbox.ts'
import { guardMs } from '../../packages/server/test/helpers/time/guard.ts'
import { until, untilTrue } from '../../packages/server/test/helpers/time/until.ts'
import { memberAt, readFiles, readYaml } from './agreement.ts'
import { type Cleanup, withCleanup } from './cleanup.ts'
import { checkedUnless, type Outcome, ran, unavailable } from './outcome.ts'
import { isInstalled, run } from './programs.ts'

const CONNECTIONS = 8
const PUSHES = 500

type Hub = { address: string; process: ChildProcess; restart: () => Promise<void> }

export function runThreeHubs(deploy: string, packagePath: string): Promise<Outcome> {
  return withCleanup(async (t) => {
    if (!isInstalled('caddy')) return unavailable('caddy is not installed')
    const folder = mkdtempSync(join(tmpdir(), 'recordhub-three-hubs-'))
    t.after(() => rmSync(folder, { recursive: true }))
    await run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', packagePath], {
      cwd: folder,
    })
    const program = join(folder, 'node_modules/.bin/recordhub')
    const postgres = await startPostgres({ durable: true })
    t.after(() => postgres.remove())

    const [httpsPort, httpPort] = [await findTlsPort(), await findFreePort()]
    const site = { https: `https://localhost:${httpsPort}`, http: `http://127.0.0.1:${httpPort}` }
    const compose = readYaml(readFiles(deploy)['compose/postgres.yaml'])
    const { HUB_TRUST_PROXY } = Object(memberAt(compose, 'services', 'hub-1', 'environment'))
    const settings = {
      ...{ HUB_TRUST_PROXY, HUB_PUBLIC_URL: site.https },
      ...{ DATABASE_URL: postgres.url, HUB_SECRET: 'x'.repeat(44), HUB_PULL_SCHEDULE: 'off' },
      ...{ HUB_ADMIN_EMAIL: OPERATOR.email, HUB_ADMIN_PASSWORD: OPERATOR.password },
    }
    const started = performance.now()
    const hubs = await Promise.all([0, 1, 2].map(() => startHub(t, program, settings)))
    const certificate = await startCaddy(t, deploy, site.http, {
      // Two addresses of the same site: the pushes of this check use http.
      SITE_HOST: `${site.https} ${site.http}`,
      UPSTREAMS: hubs.map(({ address }) => new URL(address).host).join(' '),
      ...{ HTTPS_PORT: `${httpsPort}`, HTTP_PORT: `${await findFreePort()}` },
      ...{ XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
    })

    const { operator, hubApiKey, ledger } = await registerPusher(t, { address: site.http })
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const session = await signInAt(site.https, certificate)
    const events = await openEvents(site.https, session, certificate)
    t.after(() => events.response.destroy())
    const work = { name: 'three', hubApiKey, connections: CONNECTIONS }
    const pushing = startPushing(t, [{ address: site.http }], ledger, work)
    const event = until(
      () => (events.received().includes('data:') ? true : null),
      'an event arrives',
    )
    await pushing.untilAttempts(PUSHES, isAcknowledged)
    await event
    const [killed, stopped] = hubs
    if (!killed || !stopped) throw new Error('There are no hubs')
    killed.process.kill('SIGKILL')
    await pushing.untilAttempts(PUSHES, isAcknowledged)
    await killed.restart()
    stopped.process.kill('SIGTERM')
    const [code] = await once(stopped.process, 'exit')
    await pushing.untilAttempts(PUSHES, isAcknowledged)
    await stopped.restart()
    await pushing.untilAttempts(PUSHES, isAcknowledged)
    await pushing.finish()
    await ledger.assertStored(operator)

    const retried = pushing.attempts.filter((one) => !isAcknowledged(one))
    const kinds = retried.map(({ result }) =>
      result.kind === 'response' ? result.status : result.kind,
    )
    const issues = [
      ...(code === 0 ? [] : [`SIGTERM ended a hub with exit code ${code}`]),
      ...(events.received().includes('data:') ? [] : ['No event arrived']),
    ]
    const detail = `the first push is acknowledged ${seconds} s after the start; ${ledger.acknowledged()} acknowledged pushes through Caddy are stored, with one hub killed and one stopped meanwhile; ${retried.length} attempts were not acknowledged and retried (${summarize(kinds)}); TLS, and events arrive unbuffered`
    return issues.length === 0 ? ran(detail) : checkedUnless(issues, detail)
  })
}

async function startHub(
  t: Cleanup,
  program: string,
  settings: Record<string, string>,
): Promise<Hub> {
  const port = await findFreePort()
  const address = `http://127.0.0.1:${port}`
  const start = async () => {
    const child = spawn(execPath, [program, 'start'], {
      env: { PATH: env['PATH'], PORT: `${port}`, HUB_LOG_LEVEL: 'warn', ...settings },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    t.after(() => child.kill('SIGKILL'))
    await untilTrue('a hub is ready', async () => {
      if (child.exitCode !== null) throw new Error(`A hub exited with ${child.exitCode}`)
      return isReady(address)
    })
    return child
  }
  const hub: Hub = {
    address,
    process: await start(),
    async restart() {
      hub.process = await start()
    },
  }
  return hub
}

async function isReady(address: string): Promise<boolean> {
  const response = await fetch(`${address}/readyz`).catch(() => null)
  return response?.ok === true
}

/** A free port. `findFreePort` reserves the UDP port with the same number, which Caddy needs for HTTP/3. */
async function findTlsPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('The server has no port')
  return address.port
}

/** @returns the certificate of Caddy's own authority. */
async function startCaddy(
  t: Cleanup,
  deploy: string,
  site: string,
  settings: Record<string, string>,
): Promise<string> {
  const config = join(deploy, 'compose/Caddyfile')
  const caddy = spawn('caddy', ['run', '--config', config, '--adapter', 'caddyfile'], {
    env: { PATH: env['PATH'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  t.after(() => caddy.kill('SIGKILL'))
  let log = ''
  caddy.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-10_000)
  })
  const deadline = performance.now() + guardMs(15_000)
  await untilTrue('Caddy has found a ready hub', () => {
    if (caddy.exitCode === null && performance.now() < deadline) return isReady(site)
    throw new Error(`Caddy serves no hub: ${log}`)
  })
  const folder = settings['XDG_DATA_HOME'] ?? ''
  return readFileSync(join(folder, 'caddy/pki/authorities/local/root.crt'), 'utf8')
}

/** Signs in over TLS, and returns the cookie of the session. */
async function signInAt(site: string, ca: string): Promise<string> {
  const response = await send(`${site}/api/auth/sign-in/email`, ca, JSON.stringify(OPERATOR))
  response.resume()
  const cookies = (response.headers['set-cookie'] ?? []).map((cookie) => cookie.split(';')[0])
  if (response.statusCode !== 200 || cookies.length === 0) {
    throw new Error(`The sign-in over TLS returned ${response.statusCode}`)
  }
  return cookies.join('; ')
}

async function openEvents(site: string, cookie: string, ca: string) {
  const response = await send(`${site}/dashboard/events`, ca, undefined, cookie)
  let text = ''
  response.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  response.on('error', () => undefined)
  return { response, received: () => text }
}

async function send(url: string, ca: string, body?: string, cookie = ''): Promise<IncomingMessage> {
  const outgoing = request(url, {
    ca,
    method: body === undefined ? 'GET' : 'POST',
    headers: { 'Content-Type': 'application/json', cookie },
  })
  outgoing.end(body)
  const [response]: IncomingMessage[] = await once(outgoing, 'response')
  if (!response) throw new Error(`${url} sent no response`)
  return response
}

function summarize(kinds: readonly (string | number)[]): string {
  if (kinds.length === 0) return 'none'
  const counts = Object.entries(Object.groupBy(kinds, String))
  return counts.map(([kind, all]) => `${kind}: ${all?.length}`).join(', ')
}
