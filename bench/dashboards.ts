import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { tokenOfLink } from '../packages/server/test/helpers/hub/link-token.ts'
import { fetchFrom, signInWith } from '../packages/server/test/helpers/operator.ts'
import type { Engine } from './engines.ts'
import { type BenchHub, OPERATOR, register, startHub } from './hub.ts'
import { STOP_WITH_PARENT, startServer } from './processes.ts'
import { registerAll } from './pull-platforms.ts'
import { createPushLoad, describeRounds, median, type Round } from './push-load.ts'
import { heading, report } from './report.ts'

const ROUNDS = 3
const DASHBOARDS = 100
/** One operator may open 32 streams of events. */
const OPERATORS = 4
const PLATFORMS = 20
const MODULES = 5
const PUSHES = { connections: 16, perSecond: 200 }
/** Of the pushes with dashboards, in milliseconds. */
const P99_GOAL = 10

/** A constant rate of pushes without and with many open dashboards, alternated in pairs. */
export async function benchDashboards(engine: Engine, seconds: number): Promise<void> {
  const server = await startServer('./platforms-server.ts', [String(MODULES)], {})
  const hub = await startHub(engine)
  try {
    await registerAll(hub, server.port, PLATFORMS, MODULES)
    const cookies: string[] = []
    for (let count = 0; count < OPERATORS; count++) cookies.push(await addOperator(hub))
    const { key } = await register(hub, { port: server.port, name: 'bench-pushes' })
    const load = createPushLoad(key, 'small')
    const push = (time: number) => load(hub, PUSHES.connections, time, PUSHES.perSecond)
    heading(
      `dashboards, ${engine}, ${DASHBOARDS} dashboards, ${PLATFORMS * MODULES} modules, ${PUSHES.perSecond} pushes/s, ${ROUNDS} pairs of ${seconds} s`,
    )
    await push(2)
    const pairs: { alone: Round; watched: Round }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const alone = await push(seconds)
      const closeDashboards = await openDashboards(hub, cookies)
      pairs.push({ alone, watched: await push(seconds) })
      closeDashboards()
    }
    const [alone, watched] = (['alone', 'watched'] as const).map((name) =>
      pairs.map((pair) => pair[name]),
    )
    if (!alone || !watched) throw new Error('There are no rounds')
    const line = { bench: 'dashboards', engine, unit: 'ms' } as const
    report({
      ...{ ...line, name: 'p99 of pushes without dashboards', goal: null },
      figure: median(alone.map((round) => round.p99)),
      measured: describeRounds(alone),
      cpuMicroseconds: median(alone.map((round) => round.cpuMicroseconds)),
    })
    report({
      ...{ ...line, name: `p99 of pushes with ${DASHBOARDS} dashboards` },
      figure: median(watched.map((round) => round.p99)),
      goal: { atMost: P99_GOAL },
      measured: describeRounds(watched),
      cpuMicroseconds: median(watched.map((round) => round.cpuMicroseconds)),
    })
  } finally {
    await hub.stop()
    await server.stop()
  }
}

/** @returns the session of a new operator. */
async function addOperator(hub: BenchHub): Promise<string> {
  const [email, password] = [`${randomUUID()}@recordhub.example`, 'an operator with a dashboard']
  const { link } = await hub.call('POST', '/api/v1/invitations', {
    ...{ email, role: 'viewer', password: OPERATOR.password },
  })
  const token = tokenOfLink(String(link))
  await hub.call('POST', '/invitation', { token, name: 'Bench', password })
  const send = fetchFrom(`http://127.0.0.1:${hub.process.port}`)
  return (await signInWith(send, { email, password })).cookie
}

/** Opens the dashboards in a process of their own. @returns a function that closes them. */
async function openDashboards(hub: BenchHub, cookies: string[]): Promise<() => void> {
  const path = fileURLToPath(new URL('./dashboard-load.ts', import.meta.url))
  const args = ['--import', STOP_WITH_PARENT, path, String(hub.process.port), String(DASHBOARDS)]
  const child = spawn(process.execPath, args, {
    env: { ...process.env, COOKIES: cookies.join('\n') },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  if (!child.stdout) throw new Error('The output of the dashboards is not a pipe')
  const failed = once(child, 'exit').then(() => {
    throw new Error('The dashboards could not be opened')
  })
  failed.catch(() => undefined)
  await Promise.race([once(child.stdout, 'data'), failed])
  return () => child.kill()
}
