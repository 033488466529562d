import { HUB_KEY_PREFIX } from '../packages/server/src/domain/platform/api-key.ts'
import { createRandomKey } from '../packages/server/src/lib/crypto/random-key.ts'
import { cpuSeconds, type ServerProcess, startServer } from './processes.ts'
import { createPushLoad, type MeasuredServer, median, type Round } from './push-load.ts'
import type { DataName } from './records-data.ts'
import { heading, report } from './report.ts'

const ROUNDS = 3
const CONNECTIONS = 64
const STEPS = ['fastify', 'http', 'receiver', 'statements', 'commit'] as const

/** The processor time of the main thread per push, with one layer of the push path after the other, on SQLite. */
export async function benchPushSteps(data: DataName, seconds: number): Promise<void> {
  const key = createRandomKey(HUB_KEY_PREFIX)
  const push = createPushLoad(key, data)
  heading(`push-steps, SQLite, ${data} records, ${ROUNDS} rounds of ${seconds} s`)
  const measured: { step: string; server: MeasuredServer; rounds: Round[] }[] = []
  const add = async (step: string, starting: Promise<ServerProcess>) => {
    const process = await starting
    const server = { process, cpuSeconds: () => cpuSeconds([process.pid]) }
    measured.push({ step, server, rounds: [] })
  }
  try {
    await add('bare node:http', startServer('./bare-server.ts', [], {}))
    for (const step of STEPS) {
      await add(step, startServer('./step-server.ts', [step, data, key], {}))
    }
    for (const { server } of measured) await push(server, CONNECTIONS, 1)
    for (let round = 0; round < ROUNDS; round++) {
      for (const { server, rounds } of measured) {
        rounds.push(await push(server, CONNECTIONS, seconds))
      }
    }
  } finally {
    for (const { server } of measured) await server.process.stop()
  }
  const cpuOf = (rounds: readonly Round[]) =>
    median(rounds.map((round) => round.mainThreadMicroseconds))
  const bare = cpuOf(measured[0]?.rounds ?? [])
  let previous = 0
  for (const { step, rounds } of measured) {
    const cpuMicroseconds = cpuOf(rounds)
    report({
      ...{ bench: 'push-steps', engine: 'SQLite', unit: '×', goal: null, cpuMicroseconds },
      name: `${data}, ${step}`,
      figure: cpuMicroseconds / bare,
      measured: `+ ${(cpuMicroseconds - previous).toFixed(1)} µs`,
    })
    previous = cpuMicroseconds
  }
}
