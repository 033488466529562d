import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { scrapeProcess, WITH_METRICS } from '../helpers/hub/scrape.ts'
import { withDatabase } from '../helpers/postgres/database.ts'
import { createHubDatabase } from '../helpers/postgres/hub-database.ts'
import { createPostgresSandbox } from '../helpers/process/engine.ts'
import { PUSHED_TYPE } from '../helpers/process/ledger.ts'
import type { Push, PushResult } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import type { RunningHub } from '../helpers/process/sandbox.ts'

/** Bodies of one platform that the hub holds at the same time: its share of 8 MiB. */
export const LARGE = 600_000
/** Less than the bodies of all pushes of the deep tier. */
export const SMALL_HEAP = { NODE_OPTIONS: '--max-old-space-size=128' }

export function largePush(index: number): Push {
  const data = { turn: index, ballast: 'x'.repeat(LARGE) }
  return { method: 'POST', record_type: PUSHED_TYPE, reference_number: `large-${index}`, data }
}

export function assertBusy(result: PushResult): void {
  assert.ok(result.kind === 'response', JSON.stringify(result))
  assert.equal(result.status, 503, result.text)
  assert.equal(JSON.parse(result.text).code, 'busy')
  assert.match(result.retryAfter ?? '', /^[1-9]\d*$/)
}

/** Asserts that nothing waits, so that the memory of the overload can be freed. */
export async function assertEmpty(hub: RunningHub): Promise<void> {
  const gauges = await scrapeProcess(hub)
  for (const name of ['recordhub_bodies', 'recordhub_bodies_bytes']) {
    assert.equal(gauges.get(`${name}{sender="platform"}`), 0)
  }
  assert.equal(gauges.get('recordhub_push_queue_pushes'), 0)
}

export async function startHubOnPostgres(t: TestContext) {
  const database = await createHubDatabase()
  const { sandbox } = createPostgresSandbox(t, database.url)
  t.after(() => database.drop())
  const hub = await sandbox.startHub({ env: WITH_METRICS })
  /** Locks the table of records until `release` is called. */
  async function lockRecords() {
    const locked = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const done = withDatabase(database.url, async (client) => {
      await client.query('BEGIN')
      await client.query('LOCK TABLE records IN ACCESS EXCLUSIVE MODE')
      locked.resolve()
      await released.promise
      await client.query('COMMIT')
    })
    await Promise.race([locked.promise, done])
    return {
      async release() {
        released.resolve()
        await done
      },
    }
  }
  return { hub, lockRecords, ...(await registerPusher(t, hub)) }
}
