import { fork } from 'node:child_process'
import type { LoadOrder, LoadResult } from './load.ts'
import { cpuSeconds, type ServerProcess } from './processes.ts'

/** The result of one round of pushes; times in milliseconds. */
export type Round = {
  completed: number
  perSecond: number
  cpuMicroseconds: number
  p50: number
  p99: number
}

/** One new record of about 600 bytes per request. */
const BODY = JSON.stringify({
  module_name: 'Items',
  record_type: 'item-1',
  reference_number: 'PUSHED-{number}',
  full_name: 'Person {number}',
  data: {
    reference_number: 'PUSHED-{number}',
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

/** @returns a function that pushes to a server with a hub API key, each record once. */
export function createPushLoad(key: string) {
  const headers = {
    'X-API-KEY': key,
    'Content-Type': 'application/json',
    Accept: 'application/json',
  }
  let pushed = 0
  return async (server: ServerProcess, connections: number, seconds: number): Promise<Round> => {
    const path = '/api/webhook/receive'
    const order = { port: server.port, connections, seconds, path, headers, body: BODY }
    const before = cpuSeconds(server.pid)
    const result = await load({ ...order, firstNumber: pushed })
    pushed += result.completed
    if (result.failed > 0) throw new Error(`${result.failed} requests were not successful`)
    return {
      completed: result.completed,
      perSecond: result.completed / result.seconds,
      cpuMicroseconds: ((cpuSeconds(server.pid) - before) / result.completed) * 1e6,
      p50: result.p50,
      p99: result.p99,
    }
  }
}

function load(order: LoadOrder): Promise<LoadResult> {
  const child = fork(new URL('./load.ts', import.meta.url))
  return new Promise((resolve, reject) => {
    child.once('message', (message: LoadResult) => resolve(message))
    child.once('exit', () => reject(new Error('The load ended without a result')))
    child.send(order)
  })
}

export function median(values: number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0
}
