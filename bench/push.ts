import { fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LoadOrder, LoadResult } from './load.ts'
import { cpuSeconds, type ServerProcess, startServer } from './processes.ts'

const OPERATOR = { email: 'bench@recordhub.example', password: 'recordhub-bench' }
const ROUNDS = 3

/** One new record of about 600 bytes a request. */
const BODY = JSON.stringify({
  module_name: 'Items',
  record_type: 'item',
  reference_number: 'ITEM-{number}',
  full_name: 'Person {number}',
  data: {
    reference_number: 'ITEM-{number}',
    email: 'person.{number}@example.org',
    phone: '+49 30 123456',
    department: 'Operations',
    job_title: 'Senior Regional Coordinator',
    salary: 54321,
    address: '17 Some Long Street Name, 12345 Some City, Some Country',
    notes:
      'Lorem ipsum dolor sit amet, consectetur adipiscing elit, sed do eiusmod tempor incididunt.',
    left_on: null,
    created_at: '2026-11-21T07:30:00Z',
    updated_at: '2026-11-21T07:30:00Z',
  },
})

type Round = { perSecond: number; cpuMicroseconds: number; p50: number; p99: number }

/** Durable pushes beside a bare server, alternated in pairs; the goals are ratios. */
export async function benchPush(seconds: number): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const bare = await startServer('./bare-server.ts', [], {})
  const hub = await startServer('../packages/server/src/main.ts', ['start'], {
    PORT: '0',
    HUB_DATA_DIR: folder,
    HUB_ADMIN_EMAIL: OPERATOR.email,
    HUB_ADMIN_PASSWORD: OPERATOR.password,
    HUB_PULL_SCHEDULE: 'off',
    HUB_LOG_LEVEL: 'warn',
  })
  try {
    const key = await registerBenchPlatform(hub.port)
    const path = '/api/webhook/receive'
    let pushed = 0
    const run = async (server: ServerProcess, connections: number, roundSeconds: number) => {
      const headers = {
        'X-API-KEY': key,
        'Content-Type': 'application/json',
        Accept: 'application/json',
      }
      const order = {
        port: server.port,
        connections,
        seconds: roundSeconds,
        path,
        headers,
        body: BODY,
      }
      const round = await load(server, { ...order, firstNumber: pushed })
      if (server === hub) pushed += round.answered
      return round
    }
    await run(bare, 64, 1)
    await run(hub, 64, 2)
    for (const connections of [64, 256]) {
      const pairs: { bare: Round; hub: Round }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push({
          bare: await run(bare, connections, seconds),
          hub: await run(hub, connections, seconds),
        })
      }
      report(connections, pairs)
    }
  } finally {
    await hub.stop()
    await bare.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function load(
  server: ServerProcess,
  order: LoadOrder,
): Promise<Round & { answered: number }> {
  const before = cpuSeconds(server.pid)
  const child = fork(new URL('./load.ts', import.meta.url))
  const result = await new Promise<LoadResult>((resolve, reject) => {
    child.once('message', (message: LoadResult) => resolve(message))
    child.once('exit', () => reject(new Error('The load ended without a result')))
    child.send(order)
  })
  if (result.failed > 0) throw new Error(`${result.failed} requests were not answered with 2xx`)
  return {
    answered: result.answered,
    perSecond: result.answered / result.seconds,
    cpuMicroseconds: ((cpuSeconds(server.pid) - before) / result.answered) * 1e6,
    p50: result.p50,
    p99: result.p99,
  }
}

function report(connections: number, pairs: { bare: Round; hub: Round }[]): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const of = (side: 'bare' | 'hub', figure: keyof Round) =>
    median(pairs.map((pair) => pair[side][figure]))
  const ratio = median(pairs.map((pair) => pair.hub.perSecond / pair.bare.perSecond))
  const cpu = median(pairs.map((pair) => pair.hub.cpuMicroseconds / pair.bare.cpuMicroseconds))
  const goal = connections === 64 ? 'goal 0.55' : 'goal 0.80'
  process.stdout.write(
    [
      `push, SQLite, ${connections} connections, ${pairs.length} pairs`,
      `  bare node:http  ${of('bare', 'perSecond').toFixed(0)}/s  p50 ${of('bare', 'p50').toFixed(1)} ms  p99 ${of('bare', 'p99').toFixed(1)} ms`,
      `  hub, durable    ${of('hub', 'perSecond').toFixed(0)}/s  p50 ${of('hub', 'p50').toFixed(1)} ms  p99 ${of('hub', 'p99').toFixed(1)} ms`,
      `  ratio ${ratio.toFixed(2)} (${goal})  processor time a push ${cpu.toFixed(2)} x (goal 1.8 at 64)`,
      '',
    ].join('\n'),
  )
}

/** Registers a platform with one module through the operator API. */
async function registerBenchPlatform(port: number): Promise<string> {
  const platform = createServer((request, response) => {
    const about = { success: true, platform_name: 'bench', message: 'The platform is online.' }
    const manifest = {
      platform_title: 'Bench',
      platform_description: '',
      modules: [{ module_name: 'Items', record_type: 'item', description: '', fields: [] }],
    }
    const answer = request.url?.endsWith('/manifest') ? { ...about, ...manifest } : about
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve) => platform.listen(0, '127.0.0.1', resolve))
  const address = platform.address()
  if (!address || typeof address !== 'object') throw new Error('The platform does not listen')
  const base = `http://127.0.0.1:${port}`
  const json = { 'Content-Type': 'application/json' }
  const signedIn = await fetch(`${base}/api/auth/sign-in/email`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(OPERATOR),
  })
  const cookie = signedIn.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ')
  const session: { csrf_token: string } = Object(
    await (await fetch(`${base}/api/v1/session`, { headers: { cookie } })).json(),
  )
  const registered = await fetch(`${base}/api/v1/platforms`, {
    method: 'POST',
    headers: { ...json, cookie, 'X-CSRF-TOKEN': session.csrf_token },
    body: JSON.stringify({
      source_base_url: `http://127.0.0.1:${address.port}`,
      source_api_key: 'bench',
      record_types: ['item'],
    }),
  })
  const { hub_api_key }: { hub_api_key: string } = Object(await registered.json())
  platform.closeAllConnections()
  platform.close()
  return hub_api_key
}
