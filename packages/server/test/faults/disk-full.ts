/** A hub whose data folder is a small file system in memory, which a test fills and frees. */
import assert from 'node:assert/strict'
import { closeSync, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { WITH_METRICS } from '../helpers/hub/scrape.ts'
import type { createFaultReport } from '../helpers/process/fault-report.ts'
import { type Ledger, pushUntilRejected } from '../helpers/process/ledger.ts'
import { mountMemory } from '../helpers/process/mounts.ts'
import { type Operator, untilReady } from '../helpers/process/operator.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import type { RunningHub, Sandbox } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

const DISK_MEGABYTES = 64

export async function startHubOnSmallDisk(t: TestContext, sandbox: Sandbox) {
  const disk = await mountMemory(t, sandbox.folder, DISK_MEGABYTES)
  const env = { ...WITH_METRICS, HUB_PULL_SCHEDULE: '* * * * *' }
  const hub = await sandbox.startHub({ env, shell: disk.shell })
  return { disk, ballast: join(disk.path, 'ballast'), hub, ...(await registerPusher(t, hub)) }
}

/** Fills the disk during pushes, frees it, and asserts that the hub rejects pushes in between and then accepts them. */
export async function fillAndFree(
  {
    hub,
    ballast,
    operator,
    hubApiKey,
    ledger,
  }: {
    hub: RunningHub
    ballast: string
    operator: Operator
    hubApiKey: string
    ledger: Ledger
  },
  name: string,
  report: ReturnType<typeof createFaultReport>,
): Promise<void> {
  const target = { address: hub.address, hubApiKey }
  const pushUntilFull = async (work: { name: string; connections: number; padding?: string }) => {
    fillDisk(ballast)
    const unlimited = { targetResponses: Number.POSITIVE_INFINITY, onTarget: () => undefined }
    for (const result of await pushUntilRejected(target, ledger, { ...work, ...unlimited })) {
      assert.ok(result.kind === 'response', 'the hub still responds')
      if (result.status >= 300) assertDiskFull(result.status, result.retryAfter, result.text)
    }
  }
  report.caused()
  await pushUntilFull({ name, connections: 4, padding: 'x'.repeat(20_000) })
  let round = 0
  const ready = await until(async () => {
    const response = await fetch(`${hub.address}/readyz`)
    if (response.status === 503) return response
    // A checkpoint has made space in the log, which small writes use until it is full again.
    await pushUntilFull({ name: `${name}-small-${round++}`, connections: 1 })
    return null
  }, 'the hub is not ready')
  assertDiskFull(503, ready.headers.get('Retry-After'), await ready.text())
  assert.equal((await fetch(`${hub.address}/healthz`)).status, 200, 'the process is running')
  assert.ok((await operator.records()).length >= 3, 'stored records can be read')

  rmSync(ballast)
  report.ended()
  for (const push of ledger.unacknowledged()) {
    ledger.record(push, await pushOnce(target, push))
    report.recovered()
  }
  assert.deepEqual(ledger.unacknowledged(), [])
  await untilReady(hub)
}

/** Writes a file until there is no space left. */
export function fillDisk(path: string): void {
  const file = openSync(path, 'a')
  try {
    for (let size = 1 << 20; size >= 1; ) {
      try {
        if (writeSync(file, Buffer.alloc(size)) < size) size >>= 1
      } catch {
        size >>= 1
      }
    }
  } finally {
    closeSync(file)
  }
}

function assertDiskFull(status: number, retryAfter: string | null | undefined, text: string): void {
  assert.equal(status, 503, text)
  assert.match(retryAfter ?? '', /^\d+$/)
  assert.equal(JSON.parse(text).code, 'disk_full')
}
