import { setTimeout as sleep } from 'node:timers/promises'
import { createDatabase, type Engine } from './engines.ts'
import { register, signIn, startHubProcess, startPull, waitForPull } from './hub.ts'
import { currentMemory, peakMemory, startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'
import { heading, report } from './report.ts'

const IDLE_GOAL = 150
const PEAK_GOAL = 300
const PULLS = 20
/** The memory after the last pull, as a multiple of that after the fifth. */
const GROWTH_GOAL = 1.1
const IDLE_SECONDS = 10

/** The memory of an idle hub, and of one that pulls the same records repeatedly. */
export async function benchMemory(engine: Engine, records: number): Promise<void> {
  const database = await createDatabase(engine)
  // The first start creates the tables and the operator.
  await (await startHubProcess(database)).stop()
  const started = await startHubProcess(database)
  const platform = await startServer('./document-server.ts', ['museum', String(records)], {})
  const line = { bench: 'memory', engine, unit: 'MB' } as const
  const { pid } = started
  const reportIdle = async (name: string) => {
    await sleep(IDLE_SECONDS * 1000)
    report({ ...line, name, figure: currentMemory(pid), goal: { atMost: IDLE_GOAL } })
  }
  heading(`memory, ${engine}, ${PULLS} pulls of ${records} museum records`)
  await reportIdle('idle after a start')
  const hub = await signIn(started, database)
  try {
    await reportIdle('idle after a sign-in')
    await register(hub, platform)
    let fifth = 0
    for (let round = 1; round <= PULLS; round++) {
      await waitForPull(hub, await startPull(hub))
      if (round === 1) await waitUntilSearchable(hub)
      if (round === 5) fifth = currentMemory(pid)
    }
    const last = currentMemory(pid)
    report({
      ...line,
      name: `after ${PULLS} pulls, of that after 5`,
      figure: last / fifth,
      unit: '×',
      goal: { atMost: GROWTH_GOAL },
      measured: `${last.toFixed(0)} MB`,
      yardstick: `${fifth.toFixed(0)} MB`,
    })
    report({ ...line, name: 'peak', figure: peakMemory(pid), goal: { atMost: PEAK_GOAL } })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}
