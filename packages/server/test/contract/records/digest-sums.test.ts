import assert from 'node:assert/strict'
import type { ModuleRef } from '../../../src/storage/port/record-list-store.ts'
import type { RecordWrite } from '../../../src/storage/port/record-store.ts'
import { createSeededRandom } from '../../helpers/random/seed.ts'
import {
  expectSums,
  listBucket,
  moduleRef,
  rememberedBucket,
} from '../../helpers/storage/digests.ts'
import { test } from '../../helpers/storage/engines.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import { changeLog, pushWrite } from '../../helpers/storage/fixtures.ts'
import type { KitPlatform, TestKit } from '../../helpers/storage/kit.ts'
import { pullWrite, type TestRead } from '../../helpers/storage/pulls.ts'
import { registerModules, removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'
import { revert } from '../../helpers/storage/reverts.ts'
import { rounds } from '../../helpers/time/tier.ts'

const TYPES = ['students', 'staff'] as const
/** Longer than the database accepts. */
const TOO_LONG = 'x'.repeat(600)
const REFERENCES = [
  ...Array.from({ length: 12 }, (_, n) => `r-${n}`),
  ...['É-1', ' padded ', '550E8400-E29B-41D4-A716-446655440000', '漢字'],
]
const VERSIONS = ['1', '2', '2026-03-10T08:00:00.123456Z', 'v\u001fx', 'ü']

const pick = <Item>(random: () => number, items: readonly Item[]): Item | undefined =>
  items[Math.floor(random() * items.length)]

/** One module, and the versions that its present records should have. */
type Expected = { record_type: string; module: ModuleRef; versions: Map<string, string> }

test('after any sequence of writes, the sums are those of the versions', async (kit) => {
  const random = createSeededRandom()
  for (let round = 0; round < rounds(3, 25); round += 1) {
    const platform = await kit.register({ name: `platform-${round}`, modules: [...TYPES] })
    const modules: Expected[] = []
    for (const record_type of TYPES) {
      const module = await moduleRef(kit, platform, record_type)
      modules.push({ record_type, module, versions: new Map() })
    }
    for (let step = 0; step < 14; step += 1) {
      await runStep(kit, random, platform, modules)
      for (const { module, versions } of modules) await expectSums(kit, module, versions)
    }
    for (const one of modules) await expectBuckets(kit, platform, one)
    assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
  }
})

async function runStep(
  kit: TestKit,
  random: () => number,
  platform: KitPlatform,
  modules: Expected[],
): Promise<void> {
  const one = pick(random, modules)
  if (!one) return
  const kind = random()
  if (kind < 0.45) await runPull(kit, random, platform, modules)
  else if (kind < 0.7) await writeBatch(kit, random, platform, one, null)
  else if (kind < 0.8) await replayOne(kit, random, platform, one)
  else if (kind < 0.95) await eraseOne(kit, random, platform, one)
  else await kit.reopen()
}

/** Reads one module in some batches, with pushes in between, and marks records as missing. */
async function runPull(
  kit: TestKit,
  random: () => number,
  platform: KitPlatform,
  modules: Expected[],
): Promise<void> {
  const one = pick(random, modules)
  if (!one) return
  const pull = await kit.startPull()
  const read = await kit.startRead(pull, platform, { record_type: one.record_type })
  for (let batch = 0; batch < 2; batch += 1) await writeBatch(kit, random, platform, one, read)
  const references = REFERENCES.filter(() => random() < 0.2)
  const stored = (await kit.records({ platform: platform.platform_name, limit: 1000 })).filter(
    (row) => row.record_type === one.record_type && references.includes(row.reference_number),
  )
  const limits = { pushed_until: '9999', ahead_from: '9999' }
  const { snapshotSeq, platform_id, module_id, pull_id } = read.read
  const batch = { snapshotSeq, platform_id, module_id, pull_id, since: kit.clock.text, ...limits }
  await kit.storage.missing.markMissing({ ...batch, records: stored })
  for (const row of stored) {
    if ((await kit.record(row.record_id)).missing_since !== null) {
      one.versions.delete(row.reference_number)
    }
  }
  await kit.finishRead(read)
  await kit.finishPull(pull.pull_id)
}

/** Writes a batch of pushes and, if there is a read, of pulled records. Some are rejected by the database. */
async function writeBatch(
  kit: TestKit,
  random: () => number,
  platform: KitPlatform,
  { record_type, versions }: Expected,
  read: TestRead | null,
): Promise<void> {
  const planned = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
    const reference = (random() < 0.03 ? TOO_LONG : pick(random, REFERENCES)) ?? ''
    const version = random() < 0.8 ? pick(random, VERSIONS) : undefined
    const data = `{"a":${Math.floor(random() * 3)}}`
    if (!read || random() < 0.3) {
      const source = random() < 0.5 ? ('POST' as const) : ('PATCH' as const)
      const write: RecordWrite = pushWrite(platform, { reference, data, record_type, source })
      return { reference, version: null, write }
    }
    const element = { reference, data, ...(version === undefined ? {} : { version }) }
    return { reference, version: version ?? null, write: pullWrite(read, element) }
  })
  const outcomes = await kit.write(...planned.map(({ write }) => write))
  for (const [index, { outcome }] of outcomes.entries()) {
    const one = planned[index]
    if (!one || outcome === 'stale' || outcome === 'rejected') continue
    if (one.version === null) versions.delete(one.reference)
    else versions.set(one.reference, one.version)
  }
}

async function replayOne(
  kit: TestKit,
  random: () => number,
  platform: KitPlatform,
  { record_type, versions }: Expected,
): Promise<void> {
  const reference = pick(random, REFERENCES) ?? ''
  await kit.saveRejected([rejection(platform, { body: `{"a":${random()}}` })])
  const rejected = (await kit.rejected()).findLast(
    (one) => one.platform_id === platform.platform_id,
  )
  assert.ok(rejected)
  const data = `{"a":${Math.floor(random() * 3)}}`
  const [outcome] = await kit.outcomesOf(replayWrite(rejected, { reference, record_type, data }))
  if (outcome !== 'stale' && outcome !== 'record_erased') versions.delete(reference)
}

/** Erases a record, and lets it be stored again. */
async function eraseOne(
  kit: TestKit,
  random: () => number,
  platform: KitPlatform,
  { record_type, versions }: Expected,
): Promise<void> {
  const rows = await kit.records({ platform: platform.platform_name, record_type, limit: 1000 })
  const row = pick(random, rows)
  if (!row) return
  const mode = random() < 0.5 ? 'erase' : 'anonymise'
  const { tombstone_id } = await erase(kit, row.record_id, mode)
  if (random() < 0.5) await kit.storage.erasure.deleteTombstone(tombstone_id, changeLog())
  versions.delete(row.reference_number)
}

/** Asserts that the buckets contain the present records, and that all without a version are found. */
async function expectBuckets(
  kit: TestKit,
  platform: KitPlatform,
  { record_type, module, versions }: Expected,
): Promise<void> {
  const rows = await kit.records({ platform: platform.platform_name, record_type, limit: 1000 })
  const present = rows.filter((row) => row.missing_since === null)
  assert.equal((await kit.storage.digests.readTotals(module)).present, present.length)
  const listed = await listBucket(kit.storage, module, '')
  for (const { reference_number, version } of listed) {
    assert.equal(version, versions.get(reference_number) ?? null)
  }
  assert.ok(listed.filter(({ version }) => version !== null).length === versions.size)
  const unversioned = await kit.storage.digests.listUnversioned(module, 3)
  assert.equal(
    unversioned.reduce((sum, { count }) => sum + count, 0),
    listed.filter(({ version }) => version === null).length,
  )
}

test('a revert clears the version of what it changes and of what it takes back', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  await school.pull(async (read) => {
    await kit.write(
      pullWrite(read, { reference: 'a', version: '1', data: '{"a":1}' }),
      pullWrite(read, { reference: 'same', version: '1' }),
    )
  })
  let pull_id = 0
  await school.pull(async (read) => {
    pull_id = read.read.pull_id
    await kit.write(
      pullWrite(read, { reference: 'a', version: '2', data: '{"a":2}' }),
      pullWrite(read, { reference: 'same', version: '1' }),
      pullWrite(read, { reference: 'new', version: '1' }),
    )
  })
  const { counts } = await revert(kit, { pull_id })
  assert.equal(counts.reverted, 2)
  await expectSums(kit, module, new Map([['same', '1']]))
  assert.equal((await kit.storage.digests.readTotals(module)).present, 2)
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
  assert.deepEqual(await kit.diagnose((database) => database.findInvalidCounters()), [])
})

test('a push, a replay and a missing mark clear the version, and the next pull sets it', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const both = { a: { reference: 'a', version: '1' }, b: { reference: 'b', version: '1' } }
  await school.pull(async (read) => {
    await kit.write(pullWrite(read, both.a), pullWrite(read, both.b))
  })
  await expectSums(
    kit,
    module,
    new Map([
      ['a', '1'],
      ['b', '1'],
    ]),
  )
  // The same content: only bookkeeping.
  assert.equal((await school.post({ reference: 'a' })).outcome, 'unchanged')
  await school.post({ reference: 'new' })
  await expectSums(kit, module, new Map([['b', '1']]))
  const unversioned = await kit.storage.digests.listUnversioned(module, 3)
  assert.equal(unversioned.length, 2, 'a new record is in a bucket as well')
  await school.pull(async (read) => {
    await kit.write(pullWrite(read, both.a))
    await kit.markMissing(read, ['b', 'new'])
  })
  await expectSums(kit, module, new Map([['a', '1']]))
  assert.deepEqual(await kit.storage.digests.listUnversioned(module, 3), [])
  await school.pull(async (read) => {
    const [outcome] = await kit.write(pullWrite(read, both.b))
    assert.equal(outcome?.outcome, 'updated', 'the same bytes bring a missing record back')
  })
  await expectSums(
    kit,
    module,
    new Map([
      ['a', '1'],
      ['b', '1'],
    ]),
  )
})

test('a version that changes alone is saved without history and without a change', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const pullOne = async (element: Parameters<typeof pullWrite>[1]) => {
    let outcome: unknown
    await school.pull(async (read) => {
      const [written] = await kit.write(pullWrite(read, element))
      outcome =
        written?.outcome === 'rejected' ? written : { ...written, record_id: 0, module_name: '' }
    })
    return outcome
  }
  const result = { record_id: 0, module_name: '' }
  assert.deepEqual(await pullOne({ version: '1' }), { ...result, outcome: 'created' })
  const [before] = await kit.records()
  assert.ok(before)
  assert.deepEqual(await pullOne({ version: '2' }), {
    ...result,
    ...{ outcome: 'unchanged', changed_alone: 'version' },
  })
  const after = await kit.record(before.record_id)
  assert.deepEqual([after.change_seq, after.updated_at], [before.change_seq, before.updated_at])
  assert.deepEqual(await kit.history(before.record_id), [])
  await expectSums(kit, module, new Map([['r-1', '2']]))
  assert.deepEqual(await pullOne({ version: '2' }), { ...result, outcome: 'unchanged' })
  assert.deepEqual(await pullOne({ version: '2', data: '{"a":1}' }), {
    ...result,
    ...{ outcome: 'updated', changed_alone: 'content' },
  })
  assert.deepEqual(await pullOne({ version: '3', data: '{"a":2}' }), {
    ...result,
    outcome: 'updated',
  })
  assert.deepEqual(await pullOne({ data: '{"a":2}' }), { ...result, outcome: 'unchanged' })
  await expectSums(kit, module, new Map())
})

test('a module without versions has no sums, and its records no hashes', async (kit) => {
  const school = await kit.register()
  await school.post({ reference: 'pushed' })
  await school.pull(async (read) => {
    await kit.write(pullWrite(read, { reference: 'pulled' }))
  })
  assert.equal(await kit.countRows('digest_sums'), 0)
  const hashed = await kit.runSql('SELECT 1 FROM records WHERE reference_hash IS NOT NULL')
  assert.deepEqual(hashed, [])
  const module = await moduleRef(kit, school)
  assert.equal((await kit.storage.digests.readTotals(module)).present, 2)
  assert.deepEqual(await kit.storage.digests.readSums(module, 1), [])
})

/** Pulls records with versions, and returns them. */
async function pullMany(kit: TestKit, platform: KitPlatform, count: number) {
  const versions = new Map(Array.from({ length: count }, (_, n) => [`m-${n}`, `v${n}`]))
  await platform.pull(async (read) => {
    const writes = [...versions].map(([reference, version]) =>
      pullWrite(read, { reference, version }),
    )
    await kit.write(...writes)
  })
  return versions
}

test('a wrong sum is found and repaired, also while records are written', async (kit) => {
  const school = await kit.register()
  const module = await moduleRef(kit, school)
  const versions = await pullMany(kit, school, 40)
  await kit.runSql('UPDATE digest_sums SET count = count + 1 WHERE bucket % 3 = 0')
  await kit.runSql('UPDATE digest_sums SET sum = 5 WHERE bucket % 3 = 1')
  await kit.runSql('DELETE FROM digest_sums WHERE bucket % 3 = 2')
  await kit.runSql('INSERT INTO digest_sums VALUES (999, 999, 1, 5, 5)')
  const [difference] = await kit.diagnose((database) => database.compareCounters())
  assert.deepEqual([difference?.counter, difference?.name], ['versions', 'school/students'])
  assert.deepEqual(await kit.diagnose((database) => database.findInvalidCounters()), [
    { table: 'digest_sums', reason: 'orphaned', rows: 1 },
  ])
  const log = (changed: number) => changeLog(`repaired.${changed}`)
  const pushed = school.post({ reference: 'm-7' })
  const repaired = await kit.storage.repairs.recountVersions(log)
  await pushed
  assert.deepEqual([repaired.recounted.length, repaired.deleted], [1, 1])
  versions.delete('m-7')
  await expectSums(kit, module, versions)
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
  assert.deepEqual(await kit.storage.repairs.recountVersions(log), { recounted: [], deleted: 0 })
})

test('a wrong total is found and repaired, and its module keeps it while it is not registered', async (kit) => {
  const school = await kit.register({ modules: [...TYPES] })
  const module = await moduleRef(kit, school)
  const versions = await pullMany(kit, school, 20)
  await kit.runSql('UPDATE module_counters SET versions = 22, version_sum = 5 WHERE versions > 0')
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [
    { counter: 'versions', name: 'school/students', stored: 22, counted: 20 },
  ])
  await kit.storage.repairs.recountVersions((changed) => changeLog(`repaired.${changed}`))
  await expectSums(kit, module, versions)
  await registerModules(kit, school, ['staff'])
  await registerModules(kit, school, [...TYPES])
  await expectSums(kit, module, versions)
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
})

test('sums survive a restart and a rename, and end with the records of the module or platform', async (kit) => {
  const school = await kit.register({ modules: [...TYPES] })
  const clinic = await kit.register({ name: 'clinic' })
  const module = await moduleRef(kit, school)
  const versions = await pullMany(kit, school, 30)
  const others = await pullMany(kit, clinic, 5)
  await kit.reopen()
  const rename = { platform_id: school.platform_id, platform_name: 'academy', at: kit.clock.text }
  await kit.storage.platforms.renamePlatform(rename, changeLog())
  await expectSums(kit, module, versions)
  await kit.storage.digests.saveDigest(module, { digest_ms: 40 })
  await kit.storage.digests.remember(module, {
    ...{ save: [rememberedBucket('3f4')], delete: [], epoch: 0 },
  })
  await registerModules(kit, school, ['staff'])
  const request = { platform_id: school.platform_id, record_type: 'students', requested_by: 'ann' }
  await kit.storage.removals.removeModuleRecords(request, changeLog())
  await kit.storage.removals.runNextStep()
  assert.deepEqual(await kit.diagnose((database) => database.compareCounters()), [])
  await runRemovals(kit)
  await expectSums(kit, module, new Map())
  assert.deepEqual(await kit.storage.digests.listRemembered(module), [])
  assert.equal((await kit.storage.digests.readDigest(module)).digest_ms, null)
  await expectSums(kit, await moduleRef(kit, clinic), others)
  await removePlatform(kit, clinic)
  await runRemovals(kit)
  assert.equal(await kit.countRows('digest_sums'), 0)
})
