import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, resetPeakMemory, startServer } from './processes.ts'
import { heading, report } from './report.ts'

const MEMORY_GOAL = 300
const EXPORTS = ['ndjson', 'json', 'csv', 'xlsx', 'csv&gzip=true', 'csv&sort=-updated_at']

/** Measures exports in each format, and the change feed. */
export async function benchExport(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', ['museum', String(records)], {})
  const hub = await startHub(engine)
  try {
    await register(hub, platform)
    await waitForPull(hub, await startPull(hub))
    heading(`export, ${engine}, ${records} museum records`)
    for (const format of EXPORTS) {
      await measure(engine, hub, format, async () => {
        const response = await hub.open(`/api/v1/records/export?format=${format}`)
        let bytes = 0
        for await (const chunk of response.body ?? []) bytes += chunk.length
        return `${Math.round(bytes / 1e6)} MB`
      })
    }
    await measure(engine, hub, 'feed of changes, 500 per page', async () => {
      let count = 0
      let since: unknown = 0
      for (;;) {
        const page = await hub.call('GET', `/api/v1/changes?limit=500&since=${since}`)
        count += Array.isArray(page['changes']) ? page['changes'].length : 0
        since = page['next_cursor']
        if (page['has_more'] !== true) return `${count} changes`
      }
    })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

async function measure(
  engine: Engine,
  hub: BenchHub,
  name: string,
  work: () => Promise<string>,
): Promise<void> {
  const { pid } = hub.process
  resetPeakMemory(pid)
  const before = performance.now()
  const result = await work()
  const figure = (performance.now() - before) / 1000
  const line = { bench: 'export', engine } as const
  report({ ...line, name, figure, unit: 's', goal: null, measured: result })
  report({
    ...line,
    name: `${name}, peak memory of the hub`,
    figure: peakMemory(pid),
    unit: 'MB',
    goal: { atMost: MEMORY_GOAL },
  })
}
