/** Real records. In the quick tier, http/pull-content.test.ts and contract/records/pulled-records.test.ts prove the same. */
import assert from 'node:assert/strict'
import { congress } from '../helpers/process/congress.ts'
import { checksumTables, EMPTY_TABLE_CHECKSUM, ENGINES } from '../helpers/process/engine.ts'
import { connectOperator, type Operator } from '../helpers/process/operator.ts'
import { type SimulatedModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'

const { source, modules } = congress
const TOTAL = modules.reduce((total, module) => total + module.records.length, 0)

test('the source has five modules with 8,750 records', () => {
  assert.equal(congress.modules.length, 5)
  assert.equal(
    congress.modules.reduce((total, { records }) => total + records.length, 0),
    8750,
  )
})

for (const engine of ENGINES) {
  test(`the first pull stores all records exactly, and the second pull writes nothing (${engine.name})`, async (t) => {
    t.diagnostic(`${TOTAL} records in ${modules.length} modules: ${source}`)
    const { sandbox, queryDatabase } = await engine.createSandbox(t)
    const hub = await sandbox.startHub()
    const operator = await connectOperator(hub)
    const platform = await startPlatform(t, { name: 'congress', modules })
    const registered = await operator.registerModules(platform)
    assert.equal(registered.platform.modules_registered, 5)

    const first = await operator.pullAll()
    assert.equal(first.pull.state, 'succeeded')
    assert.deepEqual(first.pull.counts, { ...NONE, received: TOTAL, created: TOTAL })
    assert.deepEqual(
      first.tasks.flatMap((task) => task.warnings),
      [],
    )
    for (const module of modules) {
      const stored = await readStored(operator, module)
      const sent: Plain[] = module.records.map(parseVerbatim)
      assert.deepEqual(stored.toSorted(byReference), sent.toSorted(byReference))
    }
    assert.equal((await operator.snapshot()).stats.records, TOTAL)
    assert.deepEqual(
      (await operator.platforms()).map(({ records }) => records),
      [TOTAL],
    )

    const checksum = () => checksumTables(engine, queryDatabase)
    const before = { order: await changeOrder(operator), tables: await checksum() }
    assert.equal(
      before.tables['record_history'],
      EMPTY_TABLE_CHECKSUM,
      'a first import has no history',
    )
    const second = await operator.pullAll()
    assert.equal(second.pull.state, 'succeeded')
    assert.deepEqual(second.pull.counts, { ...NONE, received: TOTAL, unchanged: TOTAL })
    assert.deepEqual(await checksum(), before.tables)
    assert.deepEqual(await changeOrder(operator), before.order)
    for (const record_id of before.order.slice(0, 3)) {
      assert.deepEqual(await operator.history(record_id), [])
    }
    const { received_today, created_today } = (await operator.snapshot()).stats
    assert.equal(received_today, created_today, 'unchanged records do not count as received')
  })
}

const NONE = {
  received: 0,
  created: 0,
  updated: 0,
  unchanged: 0,
  stale: 0,
  held: 0,
  rejected: 0,
  accepted: 0,
  missing: 0,
  not_listed: 0,
} as const

type Plain = { reference_number: string; full_name: string; data: unknown }

async function readStored(operator: Operator, { record_type }: SimulatedModule): Promise<Plain[]> {
  const records: Plain[] = []
  const query = `platform=congress&record_type=${record_type}&sort=record_id`
  for await (const text of operator.recordPages(query)) {
    const page: { records: Plain[] } = parseVerbatim(text)
    for (const { reference_number, full_name, data } of page.records) {
      records.push({ reference_number, full_name, data })
    }
  }
  return records
}

/** Parses JSON and preserves the notation of numbers: `{number: "34.10"}`. */
function parseVerbatim(text: string) {
  return JSON.parse(text, (_key, value: unknown, context?: { source: string }) =>
    typeof value === 'number' ? { number: context?.source } : value,
  )
}

function byReference(one: Plain, other: Plain): number {
  return one.reference_number < other.reference_number ? -1 : 1
}

async function changeOrder(operator: Operator): Promise<number[]> {
  return (await operator.findRecords('sort=-updated_at')).map((record) => record.record_id)
}
