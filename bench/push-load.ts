import { fork } from 'node:child_process'
import type { LoadOrder, LoadResult } from './load.ts'
import { mainThreadSeconds, type ServerProcess } from './processes.ts'
import { type DataName, RECORD_DATA } from './records-data.ts'

/** How long the load waits for the last responses. */
const RESPONSE_TIMEOUT_MS = 60_000

/** The result of one round of pushes; times in milliseconds. */
export type Round = {
  completed: number
  perSecond: number
  cpuMicroseconds: number
  /** The part of `cpuMicroseconds` that the server's main thread used. */
  mainThreadMicroseconds: number
  p50: number
  p99: number
}

/** A server and the processor time that it has used. */
export type MeasuredServer = { process: ServerProcess; cpuSeconds: () => number }

/** @returns a function that pushes to a server with a hub API key, each record once; as fast as possible, or at a rate. */
export function createPushLoad(key: string, data: DataName) {
  const headers = {
    'X-API-KEY': key,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  }
  const { pushes: bodies } = RECORD_DATA[data]
  let pushed = 0
  return async (
    server: MeasuredServer,
    connections: number,
    seconds: number,
    perSecond?: number,
  ): Promise<Round> => {
    const path = '/api/webhook/receive'
    const { pid, port } = server.process
    const order: LoadOrder = {
      ...{ port, connections, seconds, path, headers, bodies },
      ...{ method: 'POST', firstNumber: pushed },
      ...(perSecond === undefined ? {} : { perSecond }),
    }
    const before = { all: server.cpuSeconds(), main: mainThreadSeconds(pid) }
    const result = await runLoad(order)
    pushed += result.completed
    if (result.failed > 0) throw new Error(`${result.failed} requests were not successful`)
    const perPush = (seconds: number) => (seconds / result.completed) * 1e6
    return {
      completed: result.completed,
      perSecond: result.completed / result.seconds,
      cpuMicroseconds: perPush(server.cpuSeconds() - before.all),
      mainThreadMicroseconds: perPush(mainThreadSeconds(pid) - before.main),
      p50: result.p50,
      p99: result.p99,
    }
  }
}

/** Such as `20577/s, p50 2.3 ms, p99 8.6 ms`. */
export function describeRounds(rounds: readonly Round[]): string {
  const of = (figure: keyof Round) => median(rounds.map((round) => round[figure]))
  return `${of('perSecond').toFixed(0)}/s, p50 ${of('p50').toFixed(1)} ms, p99 ${of('p99').toFixed(1)} ms`
}

/** Runs the load in a process of its own. */
export function runLoad(order: LoadOrder): Promise<LoadResult> {
  const child = fork(new URL('./load.ts', import.meta.url))
  return new Promise((resolve, reject) => {
    child.once('message', (message: LoadResult) => resolve(message))
    const timeout = setTimeout(() => child.kill(), order.seconds * 1000 + RESPONSE_TIMEOUT_MS)
    child.once('exit', () => {
      clearTimeout(timeout)
      reject(new Error('The load ended without a result'))
    })
    child.send(order)
  })
}

export function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}
