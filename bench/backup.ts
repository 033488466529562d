/** Measures a backup under pushes, the drill, and a restore, and compares the restored hub with the original. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type BenchDatabase, createDatabase, type Engine } from './engines.ts'
import { type BenchHub, register, signIn, startHubProcess, startPull, waitForPull } from './hub.ts'
import type { LoadResult } from './load.ts'
import { peakMemory, startServer } from './processes.ts'
import { waitUntilSearchable } from './pull.ts'
import { runLoad } from './push-load.ts'
import { RECORD_DATA } from './records-data.ts'
import { heading, report } from './report.ts'

const PUSHES_PER_SECOND = 1000
const CONNECTIONS = 32
const DRILLED = 'one.recordhub-backup'
const ROUND_SECONDS = 5
const PULL_SECONDS = '86400'
const MAIN = fileURLToPath(new URL('../packages/server/src/main.ts', import.meta.url))
/** Of the hub that is measured and of the one that is restored. */
const HUB_SECRET = 'the secret of a hub that is only measured'

export async function benchBackup(engine: Engine, records: number): Promise<void> {
  heading(`backup, ${engine}, ${records} museum records, ${PUSHES_PER_SECOND} pushes/s`)
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-bench-'))
  const original = withSettings(await createDatabase(engine), {
    HUB_SECRET,
    HUB_BACKUP_DIR: folder,
  })
  const restored = withSettings(await createDatabase(engine), { HUB_SECRET })
  let hub: BenchHub | null = null
  try {
    hub = await signIn(await startHubProcess(original, PULL_SETTINGS), original)
    const key = await fill(hub, records)
    const alone = await push(hub, key, 0, sleep(ROUND_SECONDS))
    const path = join(folder, DRILLED)
    const begun = performance.now()
    const log = watchLog(original)
    const backup = run(original, ['backup', '--out', path])
    const meanwhile = await push(hub, key, alone.pushed, backup)
    const seconds = (await backup).seconds
    const line = { bench: 'backup', engine } as const
    report({
      ...{ ...line, name: 'backup under pushes', figure: seconds, unit: 's', goal: null },
      measured: `${megabytes(statSync(path).size)}, peak ${megabytes((await backup).peakBytes)} of memory, log up to ${megabytes(log.stop())}, in ${((performance.now() - begun) / 1000).toFixed(0)} s of pushes`,
    })
    report({
      ...{ ...line, name: 'pushes during the backup', unit: '×', goal: null },
      figure: meanwhile.perSecond / alone.perSecond,
      measured: describe(meanwhile),
      yardstick: `without a backup ${describe(alone)}`,
    })
    await drill(hub, engine)
    const whole = join(folder, 'two.recordhub-backup')
    await run(original, ['backup', '--out', whole])
    const expected = await exportHash(hub)
    const { seconds: restoreSeconds } = await run(restored, ['restore', whole])
    await hub.stop()
    hub = await signIn(await startHubProcess(restored), restored)
    const isEqual = (await exportHash(hub)) === expected
    report({
      ...{ ...line, name: 'restore', figure: restoreSeconds, unit: 's', goal: null },
      measured: `the export of the restored hub is ${isEqual ? 'equal' : 'DIFFERENT'}`,
    })
  } finally {
    await hub?.stop()
    await original.remove()
    await restored.remove()
    rmSync(folder, { recursive: true, force: true })
  }
}

const PULL_SETTINGS = { HUB_PULL_TIMEOUT_SECONDS: PULL_SECONDS }

function withSettings(database: BenchDatabase, settings: Record<string, string>): BenchDatabase {
  return { ...database, env: { ...database.env, ...settings } }
}

/** @returns the hub API key of the platform that pushes. */
async function fill(hub: BenchHub, records: number): Promise<string> {
  const platform = await startServer('./document-server.ts', ['museum', String(records)], {})
  try {
    const { key } = await register(hub, platform)
    const { counts } = await waitForPull(hub, await startPull(hub))
    if (counts.created !== records) throw new Error(`The hub has ${counts.created} records`)
    await waitUntilSearchable(hub)
    return key
  } finally {
    await platform.stop()
  }
}

type Pushed = { pushed: number; perSecond: number; p50: number; p99: number }

/** Pushes in rounds until the work has ended. */
async function push(
  hub: BenchHub,
  key: string,
  first: number,
  until: Promise<unknown>,
): Promise<Pushed> {
  const state = { ended: false }
  const ended = until.finally(() => {
    state.ended = true
  })
  ended.catch(() => undefined)
  const rounds: LoadResult[] = []
  let pushed = first
  do {
    const result = await runLoad({
      ...{ port: hub.process.port, connections: CONNECTIONS, seconds: ROUND_SECONDS },
      ...{ method: 'POST', path: '/api/webhook/receive', firstNumber: pushed },
      headers: { 'X-API-KEY': key, 'Content-Type': 'application/json' },
      bodies: RECORD_DATA.museum.pushes,
      perSecond: PUSHES_PER_SECOND,
    })
    if (result.failed > 0) throw new Error(`${result.failed} pushes failed`)
    pushed += result.completed
    rounds.push(result)
  } while (!state.ended)
  await ended
  const seconds = rounds.reduce((sum, round) => sum + round.seconds, 0)
  const worst = (figure: 'p50' | 'p99') => Math.max(...rounds.map((round) => round[figure]))
  return { pushed, perSecond: (pushed - first) / seconds, p50: worst('p50'), p99: worst('p99') }
}

const describe = ({ perSecond, p50, p99 }: Pushed) =>
  `${perSecond.toFixed(0)}/s, p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms in the slowest round`

const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(0)} MB`

/** Runs a command of the hub. */
async function run({ env }: BenchDatabase, args: string[]) {
  const begun = performance.now()
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr.on('data', (text) => {
    output += String(text)
  })
  let peakBytes = 0
  const timer = setInterval(() => {
    peakBytes = Math.max(peakBytes, peakMemoryOf(child.pid))
  }, 200)
  const code = await new Promise((resolve) => child.once('close', resolve))
  clearInterval(timer)
  if (code !== 0) throw new Error(`${args.join(' ')} failed: ${output}`)
  return { seconds: (performance.now() - begun) / 1000, peakBytes }
}

/** 0 for a process that is ending: its memory cannot be read. */
function peakMemoryOf(pid: number | undefined): number {
  try {
    const peak = pid === undefined ? 0 : peakMemory(pid) * 1e6
    return Number.isNaN(peak) ? 0 : peak
  } catch {
    return 0
  }
}

/** Watches the size of SQLite's write-ahead log. */
function watchLog({ env }: BenchDatabase): { stop: () => number } {
  const path = join(env['HUB_DATA_DIR'] ?? '', 'recordhub.sqlite-wal')
  let largest = 0
  const timer = setInterval(() => {
    largest = Math.max(largest, statSync(path, { throwIfNoEntry: false })?.size ?? 0)
  }, 200)
  return {
    stop() {
      clearInterval(timer)
      return largest
    },
  }
}

async function drill(hub: BenchHub, engine: Engine): Promise<void> {
  const begun = performance.now()
  await hub.call('POST', `/api/v1/backups/${DRILLED}/drill`, {})
  for (;;) {
    await sleep(500)
    const { run: state, backups } = await hub.call('GET', '/api/v1/backups')
    if (Object(state).state === 'running') continue
    const listed: unknown[] = Array.isArray(backups) ? backups : []
    const { drill: result } = Object(listed.find((backup) => Object(backup).file === DRILLED))
    if (!result) throw new Error(`The drill failed: ${Object(state).error}`)
    const { records, equal, changed_since, different, absent } = Object(result)
    report({
      ...{ bench: 'backup', engine, name: 'restore drill', unit: 's', goal: null },
      figure: (performance.now() - begun) / 1000,
      measured: `${records} records: ${equal} equal, ${changed_since} changed since, ${different} different, ${absent} absent`,
    })
    return
  }
}

/** The hash of an export of all records. */
async function exportHash(hub: BenchHub): Promise<string> {
  const response = await hub.open('/api/v1/records/export?format=ndjson')
  const hash = createHash('sha256')
  for await (const part of response.body ?? []) hash.update(part)
  return hash.digest('hex')
}
