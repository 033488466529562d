/** What a revert of a pull costs that has changed every record: its plan, and its application. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Engine } from './engines.ts'
import { type BenchHub, OPERATOR, register, startHub, startPull, waitForPull } from './hub.ts'
import { mainThreadSeconds, startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'
import { heading, report } from './report.ts'

/** Of 100,000 records on SQLite, in seconds. */
const GOALS = { plan: 2, 'second plan': 2, apply: 30 }
const GOAL_RECORDS = 100_000
const POLL_MS = 200

export async function benchRevert(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', ['museum', String(records)], {})
  const hub = await startHub(engine)
  try {
    heading(`revert, ${engine}, a pull that changed ${records} museum records`)
    await register(hub, platform)
    await pull(hub)
    await fetch(`http://127.0.0.1:${platform.port}/bench-1/api/hub/ping`, { method: 'POST' })
    const pull_id = await pull(hub)
    const body = { scope: { pull_id }, reason: 'It is measured' }
    let id = 0
    const measured = { engine, records }
    // The first plan reads what the pull has left in no cache.
    for (const name of ['plan', 'second plan'] as const) {
      await measure(hub, { ...measured, name }, async () => {
        const { revert } = await hub.call('POST', '/api/v1/reverts', body)
        id = Object(revert).id
        const { reverted } = Object(revert).counts
        if (reverted !== records) throw new Error(`The plan reverts ${reverted} records`)
      })
    }
    await measure(hub, { ...measured, name: 'apply' }, async () => {
      await hub.call('POST', `/api/v1/reverts/${id}/start`, { password: OPERATOR.password })
      await waitForRevert(hub, id)
    })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

async function pull(hub: BenchHub): Promise<number> {
  const { id } = await waitForPull(hub, await startPull(hub))
  await waitUntilSearchable(hub)
  return id
}

async function waitForRevert(hub: BenchHub, id: number): Promise<void> {
  for (;;) {
    await sleep(POLL_MS)
    const { state, finished_at } = Object(
      (await hub.call('GET', `/api/v1/reverts/${id}`))['revert'],
    )
    if (finished_at === null) continue
    if (state !== 'succeeded') throw new Error(`The revert ended ${state}`)
    return
  }
}

/** The processor time of the application includes the text index, which follows it. */
async function measure(
  hub: BenchHub,
  { engine, records, name }: { engine: Engine; records: number; name: keyof typeof GOALS },
  work: () => Promise<void>,
): Promise<void> {
  const mainThread = () => mainThreadSeconds(hub.process.pid)
  const [begun, before, mainBefore] = [performance.now(), hub.cpuSeconds(), mainThread()]
  await work()
  const figure = (performance.now() - begun) / 1000
  const seconds = hub.cpuSeconds() - before
  report({
    ...{ bench: 'revert', engine, name, figure, unit: 's' },
    goal: engine === 'SQLite' && records === GOAL_RECORDS ? { atMost: GOALS[name] } : null,
    measured: `CPU ${seconds.toFixed(2)} s, main thread ${(mainThread() - mainBefore).toFixed(2)} s`,
    cpuMicroseconds: (seconds / records) * 1e6,
  })
}
