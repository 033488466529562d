/** A hub is killed at many points of a running revert, which is continued after each restart. */
import assert from 'node:assert/strict'
import { type EngineSandbox, enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { createKillMoments } from '../helpers/process/kill-moment.ts'
import { connectOperator, type Operator } from '../helpers/process/operator.ts'
import { generateModule, type SimulatedModule, startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { OPERATOR, PROCESS_TEST, test } from '../helpers/process/sandbox.ts'
import { createSeededRandom } from '../helpers/random/seed.ts'
import { until } from '../helpers/time/until.ts'

/** A round on PostgreSQL takes four times as long. */
const POINTS = { SQLite: 20, PostgreSQL: 8 } as const
/** Five commits of a revert. */
const RECORDS = 1000
const CREATED = 20
const KEPT = 3

function listWith({ records }: SimulatedModule, note: string): string[] {
  return records.slice(0, RECORDS).map((text) => {
    const record = JSON.parse(text)
    return JSON.stringify({ ...record, data: { ...record.data, note } })
  })
}

/** Pulls a bad list, and pushes other values of some records. @returns the id of the planned revert. */
async function prepare(
  operator: Operator,
  module: SimulatedModule,
  { round, address, hubApiKey }: { round: number; address: string; hubApiKey: string },
): Promise<number> {
  const bad = listWith(module, `bad ${round}`)
  const [first = ''] = bad
  const created = Array.from({ length: CREATED }, (_, index) =>
    JSON.stringify({ ...JSON.parse(first), reference_number: `new-${round}-${index}` }),
  )
  module.records = [...bad, ...created]
  const { pull } = await operator.pullAll()
  assert.equal(pull.state, 'succeeded')
  const pusher = createPusher({ address, hubApiKey })
  for (const text of module.records.slice(0, KEPT)) {
    const { reference_number } = JSON.parse(text)
    const push = { method: 'PATCH', record_type: module.record_type, reference_number } as const
    await pusher.push({ ...push, data: { note: `kept ${round}` } })
  }
  pusher.close()
  const body = { scope: { pull_id: pull.id }, reason: 'a bad list' }
  const planned = JSON.parse(await operator.request('POST', '/api/v1/reverts', body))
  return planned.revert.id
}

async function readRevert(operator: Operator, id: number) {
  return JSON.parse(await operator.request('GET', `/api/v1/reverts/${id}`)).revert
}

/** Starts the revert unless it has been started, and waits for its end. */
async function finish(operator: Operator, id: number) {
  if ((await readRevert(operator, id)).state === 'planned') {
    await operator.request('POST', `/api/v1/reverts/${id}/start`, { password: OPERATOR.password })
  }
  return until(async () => {
    const revert = await readRevert(operator, id)
    return revert.finished_at === null ? null : revert
  }, 'the revert has ended')
}

/** Each record has its write, its history entry and its hold, or none of them. @returns the number of those that have. */
async function countReverted(
  { queryDatabase }: EngineSandbox,
  { id, round }: { id: number; round: number },
): Promise<number> {
  const of = `record_id = w.record_id AND revert_id = ${id}`
  const rows = await queryDatabase(
    `SELECT r.reference_number, r.data, r.missing_since, w.done, w.outcome,
       (SELECT count(*) FROM record_history WHERE ${of}) AS entries,
       (SELECT count(*) FROM holds WHERE ${of}) AS holds
     FROM revert_records w JOIN records r ON r.record_id = w.record_id WHERE w.revert_id = ${id}`,
  )
  assert.equal(rows.length, RECORDS + CREATED)
  let reverted = 0
  for (const row of rows) {
    const { note } = JSON.parse(String(row['data']))
    const isCreated = String(row['reference_number']).startsWith('new-')
    const isMissing = row['missing_since'] !== null
    const isWritten = isCreated ? isMissing : note === 'good'
    const written = isWritten ? 1 : 0
    const found = [Number(row['entries']), Number(row['holds'])]
    assert.deepEqual(found, [written, written], JSON.stringify(row))
    if (row['outcome'] === 'reverted') assert.equal(Number(row['done']), written)
    else assert.equal(note, `kept ${round}`)
    reverted += written
  }
  return reverted
}

for (const engine of enginesForTier(sqlite)) {
  const points = POINTS[engine.name]
  test(
    `a hub killed at ${points} points of a revert leaves no half of a record, and continues it (${engine.name})`,
    async (t) => {
      const kit = await engine.createSandbox(t)
      const { sandbox } = kit
      const moments = createKillMoments(sandbox, kit.port, createSeededRandom())
      const env = { ...moments.env, HUB_PULL_SCHEDULE: 'off' }
      let hub = await sandbox.startHub({ env })
      let operator = await connectOperator(hub)
      const module = generateModule('person', RECORDS)
      const platform = await startPlatform(t, { name: 'archive', modules: [module] })
      const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
      // Each revert restores these values.
      module.records = listWith(module, 'good')
      assert.equal((await operator.pullAll()).pull.state, 'succeeded')
      const expected = { reverted: RECORDS + CREATED - KEPT, kept: KEPT, impossible: 0 }

      const first = await prepare(operator, module, { round: 0, address: hub.address, hubApiKey })
      const count = await moments.count(hub, () => finish(operator, first))
      const partial: number[] = []
      for (let round = 1; round <= points; round += 1) {
        const id = await prepare(operator, module, { round, address: hub.address, hubApiKey })
        await moments.armAt(hub, Math.floor((count * (round - 0.5)) / points))
        await Promise.race([finish(operator, id).catch(() => undefined), hub.ended])
        // A kill at a later moment than the end of the revert.
        await hub.stop('SIGKILL')
        partial.push(await countReverted(kit, { id, round }))
        hub = await sandbox.startHub({ env })
        operator = operator.at(hub.address)
        const { state, counts, progress } = await finish(operator, id)
        const { lifted, held_now, ...outcomes } = counts
        assert.deepEqual([state, outcomes], ['succeeded', expected])
        assert.deepEqual([held_now, lifted], [expected.reverted, 0])
        assert.deepEqual(
          [progress.records_done, progress.records_total],
          [RECORDS + CREATED, RECORDS + CREATED],
        )
        assert.equal(await countReverted(kit, { id, round }), expected.reverted)
      }
      t.diagnostic(`Reverted when killed: ${partial.join(', ')} of ${expected.reverted}`)
      const halves = partial.filter((reverted) => reverted > 0 && reverted < expected.reverted)
      assert.ok(halves.length > 0, 'a kill comes between two commits of the revert')
    },
    { timeout: 4 * PROCESS_TEST.timeout },
  )
}
