/**
 * A write-ahead log that a power failure has cut or damaged. The disk has lost what is after the damage, so acknowledged
 * pushes are lost. What remains must be what the database contained after one of its commits, or the hub must reject it.
 */
import assert from 'node:assert/strict'
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { isDeepStrictEqual } from 'node:util'
import { HubError } from '../../src/errors.ts'
import { systemClock } from '../../src/lib/time/clock.ts'
import { openSqlite } from '../../src/storage/sqlite/storage.ts'
import { assertAtomicWrites } from '../helpers/process/engine.ts'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { pushUntilRejected } from '../helpers/process/ledger.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { hashReference } from '../helpers/storage/engine.ts'
import { rounds } from '../helpers/time/tier.ts'

const DATABASE = 'recordhub.sqlite'
const random = createSeededRandom()

const DAMAGES = {
  truncated: (log: string) => truncateSync(log, Math.floor(random() * statSync(log).size)),
  corrupted(log: string) {
    const bytes = readFileSync(log)
    for (let flips = 1 + Math.floor(random() * 3); flips > 0; flips -= 1) {
      const at = Math.floor(random() * bytes.length)
      bytes[at] = (bytes[at] ?? 0) ^ (1 + Math.floor(random() * 255))
    }
    writeFileSync(log, bytes)
  },
}

test('after damage to the log, the hub opens only a database that passes its check', async (t, sandbox) => {
  const hub = await sandbox.startHub()
  const { hubApiKey, ledger } = await registerPusher(t, hub)
  await pushUntilRejected({ address: hub.address, hubApiKey }, ledger, {
    name: 'before',
    connections: rounds(4, 8),
    targetResponses: rounds(40, 1000),
    onTarget: () => hub.child.kill('SIGKILL'),
  })
  await hub.ended
  const killed = join(sandbox.folder, 'data')
  const intact = copyDatabase(killed, join(sandbox.folder, 'intact'))
  const { writes, isAtomic } = await readWrites(intact)
  assert.ok(isAtomic)
  assert.ok(writes.length >= ledger.acknowledged(), 'without damage, nothing is lost')

  for (const [damage, apply] of Object.entries(DAMAGES)) {
    const report = createFaultReport(`${damage} log`, 'SQLite')
    let opened = 0
    const rejections: string[] = []
    let undetected = 0
    for (let round = 0; round < rounds(1, 60); round += 1) {
      report.caused()
      const path = copyDatabase(killed, join(sandbox.folder, `${damage}-${round}`))
      apply(`${path}-wal`)
      // The damage is that of a power failure, not of a killed process.
      writeFileSync(`${path}.state`, 'an earlier run of the machine\n\n')
      try {
        const kept = await readWrites(path)
        // A part of the log may already be in the database, and the check does not find every inconsistency.
        const isPrefix = isDeepStrictEqual(kept.writes, writes.slice(0, kept.writes.length))
        if (kept.isAtomic && isPrefix) opened += 1
        else undetected += 1
      } catch (error) {
        if (!(error instanceof HubError)) throw error
        assert.equal(error.code, 'database_damaged')
        assert.match(error.message, /restore a backup/)
        rejections.push(error.message)
      }
      rmSync(join(path, '..'), { recursive: true })
    }
    t.diagnostic(
      `${damage}: ${opened} opened, ${rejections.length} rejected, ${undetected} inconsistent`,
    )
    report.save({ acknowledged: ledger.acknowledged(), lost: null, duplicated: 0 })
  }
})

/** The database and its log, as the killed process left them. */
function copyDatabase(from: string, to: string): string {
  mkdirSync(to)
  for (const suffix of ['', '-wal'])
    copyFileSync(join(from, DATABASE + suffix), join(to, DATABASE + suffix))
  return join(to, DATABASE)
}

/** Opens a database as a hub does, asserts that it passes the check, and reads its writes in the order of their commits. */
async function readWrites(path: string): Promise<{ writes: string[]; isAtomic: boolean }> {
  const clock = systemClock
  const options = { path, asHub: true, timeZone: 'UTC', clock, hashReference }
  const storage = await openSqlite({ ...options, withThreads: false })
  try {
    using database = new DatabaseSync(path, { readOnly: true })
    const all = (sql: string) => database.prepare(sql).all()
    assert.equal(database.prepare('PRAGMA integrity_check').get()?.['integrity_check'], 'ok')
    const isAtomic = await assertAtomicWrites(async (sql) => all(sql)).then(
      () => true,
      () => false,
    )
    const pushes = all("SELECT * FROM activity WHERE kind LIKE 'push.%' ORDER BY activity_id")
    return { writes: pushes.map((row) => JSON.stringify(row)), isAtomic }
  } finally {
    await storage.close()
  }
}
