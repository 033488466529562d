import { fork } from 'node:child_process'
import type { Engine } from './engines.ts'
import { register, startHub, startPlatform } from './hub.ts'
import type { LoadOrder, LoadResult } from './load.ts'
import { cpuSeconds, type ServerProcess, startServer } from './processes.ts'

const ROUNDS = 3
const PATH = '/api/webhook/receive'
/** Of the requests a second of the bare server, by connections. */
const GOALS = { SQLite: { 64: 0.55, 256: 0.8 }, PostgreSQL: { 64: 0.35, 256: 0.6 } } as const

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
export async function benchPush(engine: Engine, seconds: number): Promise<void> {
  const bare = await startServer('./bare-server.ts', [], {})
  const hub = await startHub(engine)
  try {
    const platform = await startPlatform((_request, response) => response.end('{}'))
    const key = await register(hub, platform.port)
    platform.close()
    const headers = {
      'X-API-KEY': key,
      'Content-Type': 'application/json',
      Accept: 'application/json',
    }
    let pushed = 0
    const run = async (server: ServerProcess, connections: number, roundSeconds: number) => {
      const order = { port: server.port, connections, seconds: roundSeconds, path: PATH, headers }
      const round = await load(server, { ...order, body: BODY, firstNumber: pushed })
      if (server === hub.process) pushed += round.answered
      return round
    }
    await run(bare, 64, 1)
    await run(hub.process, 64, 2)
    for (const connections of [64, 256] as const) {
      const pairs: { bare: Round; hub: Round }[] = []
      for (let round = 0; round < ROUNDS; round++) {
        pairs.push({
          bare: await run(bare, connections, seconds),
          hub: await run(hub.process, connections, seconds),
        })
      }
      report(engine, connections, pairs)
    }
  } finally {
    await hub.stop()
    await bare.stop()
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

function report(engine: Engine, connections: 64 | 256, pairs: { bare: Round; hub: Round }[]): void {
  const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
  const of = (side: 'bare' | 'hub', figure: keyof Round) =>
    median(pairs.map((pair) => pair[side][figure]))
  const ratio = median(pairs.map((pair) => pair.hub.perSecond / pair.bare.perSecond))
  const cpu = median(pairs.map((pair) => pair.hub.cpuMicroseconds / pair.bare.cpuMicroseconds))
  const goal = GOALS[engine][connections]
  process.stdout.write(
    [
      `push, ${engine}, ${connections} connections, ${pairs.length} pairs`,
      `  bare node:http  ${of('bare', 'perSecond').toFixed(0)}/s  p50 ${of('bare', 'p50').toFixed(1)} ms  p99 ${of('bare', 'p99').toFixed(1)} ms`,
      `  hub, durable    ${of('hub', 'perSecond').toFixed(0)}/s  p50 ${of('hub', 'p50').toFixed(1)} ms  p99 ${of('hub', 'p99').toFixed(1)} ms`,
      `  ratio ${ratio.toFixed(2)} (goal ${goal.toFixed(2)})  processor time of the hub a push ${cpu.toFixed(2)} x${engine === 'SQLite' ? ' (goal 1.8 at 64)' : ''}`,
      '',
    ].join('\n'),
  )
}
