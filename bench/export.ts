import { writeFileSync } from 'node:fs'
import type { Engine } from './engines.ts'
import { type BenchHub, register, startHub, startPull, waitForPull } from './hub.ts'
import { peakMemory, startServer } from './processes.ts'

const EXPORTS = ['ndjson', 'json', 'csv', 'xlsx', 'csv&gzip=true', 'csv&sort=-updated_at']

/** Measures exports in each format, and the change feed. */
export async function benchExport(engine: Engine, records: number): Promise<void> {
  const platform = await startServer('./document-server.ts', [String(records)], {})
  const hub = await startHub(engine)
  try {
    await register(hub, platform)
    await waitForPull(hub, await startPull(hub))
    process.stdout.write(`export, ${engine}, ${records} records\n`)
    for (const format of EXPORTS) {
      await measure(hub, format, async () => {
        const response = await hub.open(`/api/v1/records/export?format=${format}`)
        let bytes = 0
        for await (const chunk of response.body ?? []) bytes += chunk.length
        return `${Math.round(bytes / 1e6)} MB`
      })
    }
    await measure(hub, 'feed of changes, 500 a page', async () => {
      let count = 0
      let since: unknown = 0
      for (;;) {
        const page = await hub.call('GET', `/api/v1/changes?limit=500&since=${since}`)
        count += Array.isArray(page['changes']) ? page['changes'].length : 0
        since = page['next_cursor']
        if (page['has_more'] !== true) return `${count} lines`
      }
    })
  } finally {
    await hub.stop()
    await platform.stop()
  }
}

async function measure(hub: BenchHub, name: string, work: () => Promise<string>): Promise<void> {
  // Resets the peak that Linux counts.
  writeFileSync(`/proc/${hub.process.pid}/clear_refs`, '5')
  const from = Math.round(peakMemory(hub.process.pid) / 1e6)
  const before = performance.now()
  const result = await work()
  const seconds = ((performance.now() - before) / 1000).toFixed(1)
  const memory = Math.round(peakMemory(hub.process.pid) / 1e6)
  process.stdout.write(
    `  ${name}: ${seconds} s, ${result}, memory ${from} MB, at its peak ${memory} MB\n`,
  )
}
