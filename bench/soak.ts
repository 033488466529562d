/**
 * A soak test: a hub under a constant, mixed load whose database is in a steady state must not need more memory, handles
 * and disk space over time.
 */
import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createDatabase, type Engine } from './engines.ts'
import { OPERATOR, signIn } from './hub.ts'
import { listenHere } from './listen.ts'
import { currentMemory, startServer } from './processes.ts'
import { median } from './push-load.ts'
import { heading, report } from './report.ts'
import type { ProcessUse } from './soak-hub.ts'
import { createSoakPlatforms, startSoakLoad } from './soak-load.ts'

const SAMPLE_SECONDS = 15
const METRICS_TOKEN = 'the token of a soak test, 0123456789'
const SETTINGS = {
  PORT: '0',
  HUB_ADMIN_EMAIL: OPERATOR.email,
  HUB_ADMIN_PASSWORD: OPERATOR.password,
  HUB_BACKUP_KEEP: '2',
  HUB_LOG_LEVEL: 'fatal',
  HUB_TRUST_PROXY: '1',
  HUB_METRICS_TOKEN: METRICS_TOKEN,
  NODE_OPTIONS: '--max-semi-space-size=8',
}
/** WAL files of PostgreSQL are recycled, so that their size is constant once this much was written. */
const POSTGRES_SETTINGS = { max_wal_size: '128MB', autovacuum_naptime: '15s' }

/**
 * The figures of a sample, with the growth that counts as flat: a share of the figure, and an absolute amount. Times
 * depend on what else the machine does, so they have no verdict.
 */
const FIGURES = {
  'resident memory': { unit: 'MB', tolerance: 0.1, slack: 10 },
  'heap after a collection': { unit: 'MB', tolerance: 0.05, slack: 2 },
  'external memory': { unit: 'MB', tolerance: 0.1, slack: 4 },
  'file descriptors': { unit: '', tolerance: 0, slack: 4 },
  'active handles': { unit: '', tolerance: 0, slack: 6 },
  threads: { unit: '', tolerance: 0, slack: 0 },
  database: { unit: 'MB', tolerance: 0.05, slack: 2 },
  'write-ahead log': { unit: 'MB', tolerance: 0.1, slack: 16 },
  'search file': { unit: 'MB', tolerance: 0.05, slack: 2 },
  'records in the hub': { unit: '', tolerance: 0, slack: 500 },
  'queued pushes': { unit: '', tolerance: 0, slack: 10 },
  'median of a push': { unit: 'ms', tolerance: Number.POSITIVE_INFINITY, slack: 0 },
  'event loop delay, p99': { unit: 'ms', tolerance: Number.POSITIVE_INFINITY, slack: 0 },
} as const satisfies Record<string, { unit: string; tolerance: number; slack: number }>
type Figure = keyof typeof FIGURES
const NAMES = Object.keys(FIGURES).filter((name): name is Figure => name in FIGURES)
type Sample = Record<Figure, number>

export async function benchSoak(engine: Engine, minutes: number): Promise<void> {
  heading(`soak, ${engine}, ${minutes} minutes`)
  const database = await createDatabase(engine, POSTGRES_SETTINGS)
  const platforms = createSoakPlatforms()
  const port = await listenHere(platforms)
  const server = await startServer('./soak-hub.ts', [], { ...SETTINGS, ...database.env })
  const hub = await signIn(server, database)
  const samples: Sample[] = []
  try {
    const load = await startSoakLoad(hub, port)
    const end = performance.now() + minutes * 60_000
    while (performance.now() < end) {
      await pause(SAMPLE_SECONDS * 1000)
      const sample = {
        ...(await sampleProcess(server)),
        ...(await sampleMetrics(server.port)),
        ...sampleDisk(database.folder),
        'median of a push': median(load.takeLatencies()),
      }
      samples.push(sample)
      const line = NAMES.map((name) => `${name} ${format(name, sample[name])}`)
      process.stdout.write(`${(samples.length * SAMPLE_SECONDS) / 60} min: ${line.join(', ')}\n`)
    }
    await load.stop()
    const counts = [...load.counts].toSorted().map(([kind, times]) => `${kind}: ${times}`)
    process.stdout.write(`requests: ${counts.join(', ')}\n`)
    reportGrowth(engine, samples)
  } finally {
    await hub.stop()
    platforms.closeAllConnections()
    platforms.close()
  }
}

async function sampleProcess({ child, pid }: Awaited<ReturnType<typeof startServer>>) {
  const { heap, external, handles } = await new Promise<ProcessUse>((resolve) => {
    child.once('message', (use: ProcessUse) => resolve(use))
    child.send('report')
  })
  return {
    'resident memory': currentMemory(pid),
    'heap after a collection': heap / 1e6,
    'external memory': external / 1e6,
    'active handles': handles,
    'file descriptors': readdirSync(`/proc/${pid}/fd`).length,
    threads: readdirSync(`/proc/${pid}/task`).length,
  }
}

async function sampleMetrics(port: number) {
  const headers = { authorization: `Bearer ${METRICS_TOKEN}` }
  const response = await fetch(`http://127.0.0.1:${port}/metrics`, { headers })
  const text = await response.text()
  const figureOf = (name: string) =>
    [...text.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (.+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    )
  return {
    'records in the hub': figureOf('recordhub_records'),
    'queued pushes': figureOf('recordhub_push_queue_pushes'),
    'event loop delay, p99': figureOf('nodejs_eventloop_lag_p99_seconds') * 1000,
  }
}

function sampleDisk(folder: string) {
  const sizes = { database: 0, 'write-ahead log': 0, 'search file': 0 }
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (name.split(sep)[0] === 'backups') continue
    const size = statSync(join(folder, name), { throwIfNoEntry: false })
    if (!size?.isFile()) continue
    const isLog = name.endsWith('-wal') || name.startsWith(`pg_wal${sep}`)
    const group = name.includes('search') ? 'search file' : isLog ? 'write-ahead log' : 'database'
    sizes[group] += size.size / 1e6
  }
  return sizes
}

/** Compares the median of the second third of the samples with that of the last third. */
function reportGrowth(engine: Engine, samples: readonly Sample[]): void {
  const third = Math.floor(samples.length / 3)
  for (const name of NAMES) {
    const { tolerance, slack } = FIGURES[name]
    const values = samples.map((sample) => sample[name])
    const [early, late] = [values.slice(third, 2 * third), values.slice(2 * third)].map(median)
    if (early === undefined || late === undefined) throw new Error('There are too few samples')
    if (Math.max(...values) === 0) continue
    const allowed = early * (1 + tolerance) + slack
    const isTime = !Number.isFinite(tolerance)
    const verdict = isTime ? '' : late <= allowed ? ', flat' : ', GROWS'
    report({
      ...{ bench: 'soak', engine, name, unit: '×' },
      figure: early === 0 ? 1 : late / early,
      goal: isTime || early === 0 ? null : { atMost: allowed / early },
      measured: `${format(name, late)}${verdict}, at most ${format(name, Math.max(...values))}`,
      yardstick: `before ${format(name, early)}`,
    })
  }
}

function format(name: Figure, value: number): string {
  const { unit } = FIGURES[name]
  return `${value.toFixed(unit === '' ? 0 : 1)} ${unit}`.trim()
}
