import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Removal } from '@recordhub/protocol'
import { type StorageEngine, type StorageKit, withStorage } from '../helpers/storage-engine.ts'
import {
  ANY_REJECTED,
  changeLog,
  listLines,
  listRecords,
  only,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  testManifest,
  testModule,
  words,
  write,
} from '../helpers/storage-fixtures.ts'
import { question } from '../helpers/storage-missing.ts'
import { beginRead, finishRead, finishTestPull, pullWrite } from '../helpers/storage-pulls.ts'
import { keep, rejection } from '../helpers/storage-replays.ts'
import { chooseFields, indexAll } from '../helpers/storage-search.ts'
import { countRows, runSql } from '../helpers/storage-sql.ts'

export function describeRemovals(engine: StorageEngine): void {
  describe(`removing platforms on ${engine.name}`, () => {
    test(
      'what goes is told before; then it is in no list, and its keys and name are gone at once',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await fillTwo(kit)
        assert.deepEqual(await storage.removals.previewPlatform(school.platform_id), {
          platform_name: 'school',
          modules: 2,
          records: 1200,
          rejected_pushes: 1,
          hub_api_keys: 1,
        })
        const removal = await remove(kit, school)
        assert.deepEqual(
          { ...removal, id: 0 },
          {
            id: 0,
            platform_name: 'school',
            record_type: null,
            records: 1200,
            removed: 0,
            requested_by: 'ann',
            requested_at: kit.clock.text,
            finished_at: null,
          },
        )
        const names = (await storage.platforms.listPlatforms()).map((one) => one.platform_name)
        assert.deepEqual(names, ['clinic'])
        assert.equal(await storage.platforms.readPlatform(school.platform_id), null)
        assert.equal(await storage.platforms.readSource(school.platform_id), null)
        const { searchIndex } = storage
        assert.equal(await searchIndex.listIndexedFields(school.platform_id, 'students'), null)
        assert.equal(await chooseFields(storage, school, ['a']), null)
        assert.equal(await storage.platforms.findReceiver(school.key_hash, kit.clock.text), null)
        assert.equal(await storage.removals.previewPlatform(school.platform_id), null)
        assert.deepEqual(words(await write(kit, pushWrite(school))), ['api_key_invalid'])
        const { stats, platforms, records } = await storage.snapshot.readSnapshot(kit.clock.day)
        assert.deepEqual([stats.platforms, stats.modules, stats.records], [1, 1, 1])
        assert.deepEqual(
          platforms.map((one) => one.platform_name),
          ['clinic'],
        )
        assert.ok(records.every((record) => record.platform_name === 'clinic'))
        const sealed = JSON.stringify(await runSql(storage, 'SELECT sealed FROM secrets'))
        assert.doesNotMatch(sealed, /of school/)
        assert.match(sealed, /of clinic/)
        const again = await registerTestPlatform(kit)
        assert.deepEqual(words(await write(kit, pushWrite(again))), ['created'])
        assert.deepEqual(words(await write(kit, pushWrite(clinic))), ['unchanged'])
      }),
    )

    test(
      'the steps take all of it and nothing else, tell followers, and leave the counters as the rows are',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await fillTwo(kit)
        const left = await listRecords(storage, { platform: 'clinic' })
        const [newest] = await runSql(storage, 'SELECT max(change_seq) AS n FROM records')
        await chooseFields(storage, school, ['a'])
        await indexAll(storage)
        assert.equal(await countRows(storage, 'record_index'), 700)
        await remove(kit, school)
        let steps = 0
        let rows = await sizes(kit)
        while (await storage.removals.removeNext()) {
          steps += 1
          const now = await sizes(kit)
          for (const [table, count] of Object.entries(rows)) {
            assert.ok(count - Number(now[table]) <= 500, `${table} lost more than 500 rows at once`)
          }
          rows = now
        }
        assert.ok(steps > 3)
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.deepEqual([removal.removed, removal.finished_at], [1200, kit.clock.text])
        for (const table of OF_PLATFORM) {
          const found = await runSql(
            storage,
            `SELECT 1 FROM ${table} WHERE platform_id = ${school.platform_id}`,
          )
          assert.deepEqual(found, [], table)
        }
        assert.equal(await countRows(storage, 'secrets'), 2)
        assert.equal(await countRows(storage, 'record_search'), left.length)
        assert.deepEqual(await listRecords(storage), left)
        const deletions = await runSql(storage, 'SELECT * FROM record_deletions')
        assert.equal(deletions.length, 1200)
        assert.equal(new Set(deletions.map((row) => row['record_id'])).size, 1200)
        for (const { change_seq, platform_name, platform_id } of deletions) {
          assert.ok(Number(change_seq) > Number(newest?.['n']))
          assert.deepEqual([platform_name, Number(platform_id)], ['school', school.platform_id])
        }
        await expectCountersAsRows(kit)
        assert.deepEqual(words(await write(kit, pushWrite(clinic))), ['unchanged'])
        const lines = await listLines(storage.activity, { ...EVERY_LINE, platform: 'school' })
        assert.equal(lines[0]?.kind, 'platform.deleted')
        assert.ok(
          lines.some((line) => line.kind === 'push.created'),
          'the activity stays',
        )
      }),
    )

    test(
      'it goes on where it stopped when the storage is opened again',
      withStorage(engine, async (kit) => {
        const { school } = await fillTwo(kit)
        await remove(kit, school)
        await kit.storage.removals.removeNext()
        const storage = await kit.reopen()
        const [halfway] = await storage.removals.listRemovals({ limit: 5, before: null })
        assert.equal(halfway?.finished_at, null)
        await runAll(storage)
        const again = { ...kit, storage }
        assert.equal((await listRecords(storage)).length, 1)
        await expectCountersAsRows(again)
      }),
    )

    test(
      'a pull that is under way ends for it: its tasks are cancelled, and nothing more is stored',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const read = await beginRead(storage, school)
        await write(kit, pullWrite(read))
        await remove(kit, school)
        const late = pullWrite(read, { reference: 'r-2' })
        assert.deepEqual(words(await write(kit, late)), ['module_not_registered'])
        const { pull_id } = read.read
        const query = { pull_id, limit: 10, after: null }
        const tasks = await storage.pulls.listTasks(query)
        assert.deepEqual(new Set(tasks.map((task) => task.state)), new Set(['cancelled']))
        assert.match(tasks[0]?.error ?? '', /removed/)
        assert.equal(await storage.pulls.startTask(pull_id, 2), null)
        await finishRead(storage, read)
        await runAll(storage)
        await finishRead(storage, read)
        assert.equal(await finishTestPull(storage, pull_id, 'failed'), true)
        assert.equal((await storage.pulls.listTasks(query)).length, 2)
        assert.deepEqual(await listRecords(storage), [])
        await expectCountersAsRows(kit)
      }),
    )

    test(
      'a wrong name, another number and a second time remove nothing',
      withStorage(engine, async (kit) => {
        const { storage, clock } = kit
        const school = await registerTestPlatform(kit)
        const asked = { ...school, requested_by: 'ann', at: clock.text }
        for (const over of [{ platform_name: 'School' }, { platform_id: 999 }]) {
          const refused = await storage.platforms.removePlatform({ ...asked, ...over }, changeLog())
          assert.equal(refused, null)
        }
        only(await storage.platforms.listPlatforms())
        const twice = [1, 2, 3].map(() => storage.platforms.removePlatform(asked, changeLog()))
        assert.equal((await Promise.all(twice)).filter((one) => one !== null).length, 1)
        only(await storage.removals.listRemovals({ limit: 5, before: null }))
      }),
    )

    test(
      'what is refused of it while it goes is not kept, and does not hold up the end',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await fillTwo(kit)
        await remove(kit, school)
        await keep(kit, [rejection(school)])
        await runAll(storage)
        await keep(kit, [rejection(school)])
        const query = { ...ANY_REJECTED, limit: 10, before: null }
        assert.deepEqual(await storage.rejectedPushes.listRejectedPushes(query), [])
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.notEqual(removal.finished_at, null)
      }),
    )

    test(
      'steps that are done at once, and pushes between them, come out as one after the other',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school, clinic } = await fillTwo(kit)
        await remove(kit, school)
        let pushed = 0
        const pushing = async () => {
          for (; pushed < 50; pushed += 1) {
            const reference = `c-${pushed}`
            assert.deepEqual(words(await write(kit, pushWrite(clinic, { reference }))), ['created'])
          }
        }
        await Promise.all([runAll(storage), runAll(storage), pushing()])
        const removal = only(await storage.removals.listRemovals({ limit: 5, before: null }))
        assert.equal(removal.removed, 1200)
        assert.equal(await countRows(storage, 'record_deletions'), 1200)
        assert.equal((await listRecords(storage)).length, 51)
        await expectCountersAsRows(kit)
      }),
    )
  })

  describe(`deleting the records of a module on ${engine.name}`, () => {
    test(
      'those of a module that is not registered go, and nothing else; then it can be registered again',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await fillTwo(kit)
        const named = { platform_id: school.platform_id, record_type: 'students' }
        const request = { ...named, requested_by: 'ann' }
        const preview = { platform_name: 'school', record_type: 'students', records: 700 }
        assert.deepEqual(await storage.removals.previewModule(named), {
          ...preview,
          registered: true,
        })
        const refused = await storage.removals.removeModuleRecords(request, changeLog())
        assert.equal(refused, 'registered')
        await register(kit, school, ['staff'])
        assert.deepEqual(await storage.removals.previewModule(named), {
          ...preview,
          registered: false,
        })
        const removal = await storage.removals.removeModuleRecords(request, changeLog())
        assert.deepEqual(await storage.removals.removeModuleRecords(request, changeLog()), removal)
        const blocked = await register(kit, school, ['staff', 'students'])
        assert.deepEqual(blocked, { outcome: 'removing', record_type: 'students' })
        assert.equal((await register(kit, school, []))?.outcome, 'changed')
        assert.equal((await register(kit, school, ['staff']))?.outcome, 'changed')
        await runAll(storage)
        const platform = await storage.platforms.readPlatform(school.platform_id)
        assert.equal(platform?.records, 500)
        assert.deepEqual(
          await listRecords(storage, { record_type: 'students', platform: 'school' }),
          [],
        )
        assert.equal((await listRecords(storage, { record_type: 'staff' })).length, 500)
        await expectCountersAsRows(kit)
        assert.equal((await register(kit, school, ['staff', 'students']))?.outcome, 'changed')
        assert.deepEqual(words(await write(kit, pushWrite(school))), ['created'])
        await expectCountersAsRows(kit)
      }),
    )

    test(
      'an unknown module, an unknown platform and an empty module are told apart',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        const { platform_id } = school
        const requested_by = 'ann'
        for (const named of [
          { platform_id, record_type: 'ghosts' },
          { platform_id: 999, record_type: 'students' },
        ]) {
          assert.equal(await storage.removals.previewModule(named), null)
          const refused = storage.removals.removeModuleRecords(
            { ...named, requested_by },
            changeLog(),
          )
          assert.equal(await refused, null)
        }
        const empty = { platform_id, record_type: 'staff', requested_by }
        const removal = await storage.removals.removeModuleRecords(empty, changeLog())
        assert.ok(removal && removal !== 'registered')
        assert.equal(removal.records, 0)
        await runAll(storage)
        assert.equal(await storage.removals.removeNext(), false)
      }),
    )

    test(
      'a platform that is removed meanwhile takes it along',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const { school } = await fillTwo(kit)
        await register(kit, school, ['staff'])
        const request = {
          platform_id: school.platform_id,
          record_type: 'students',
          requested_by: 'ann',
        }
        await storage.removals.removeModuleRecords(request, changeLog())
        await storage.removals.removeNext()
        await remove(kit, school)
        await runAll(storage)
        assert.equal((await listRecords(storage)).length, 1)
        await expectCountersAsRows(kit)
        const removals = await storage.removals.listRemovals({ limit: 5, before: null })
        assert.ok(removals.every((removal) => removal.finished_at !== null))
      }),
    )

    test(
      'what anonymising left goes too, and the read after a new registration misses nothing',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school), pushWrite(school, { reference: 'r-2' }))
        const [first] = await listRecords(storage)
        assert.ok(first)
        const order = { record_id: first.record_id, mode: 'anonymise', actor: 'ann' } as const
        await storage.erasure.eraseRecord(order, changeLog())
        await register(kit, school, [])
        const request = { ...school, record_type: 'students', requested_by: 'ann' }
        await storage.removals.removeModuleRecords(request, changeLog())
        await runAll(storage)
        await register(kit, school, ['students'])
        const read = await beginRead(storage, school)
        const both = ['r-1', 'r-2'].map((reference) => pullWrite(read, { reference }))
        assert.deepEqual(words(await write(kit, ...both)), ['record_erased', 'created'])
        assert.equal(await storage.missing.countUnmarked(read.read), read.read.seen.size)
      }),
    )
  })
}

const EVERY_LINE = { platform: null, level: null, limit: 5000, before: null }
const OF_PLATFORM = [
  ...['indexed_fields', 'record_index'],
  ...['platforms', 'modules', 'hub_keys', 'records', 'record_history', 'rejected_pushes'],
  ...['module_counters', 'hourly_counters', 'missing_reviews', 'missing_suspects'],
  ...['module_drift', 'manifest_changes'],
]

/** `school` with 700 students, 500 staff, history, a refused push and a question; `clinic` with one record. */
async function fillTwo(kit: StorageKit): Promise<{ school: TestPlatform; clinic: TestPlatform }> {
  const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
  const clinic = await registerTestPlatform(kit, { name: 'clinic' })
  const many = (count: number, over: Parameters<typeof pushWrite>[1]) =>
    Array.from({ length: count }, (_, n) => pushWrite(school, { reference: `r-${n}`, ...over }))
  await write(kit, ...many(700, {}), pushWrite(clinic), ...many(500, { record_type: 'staff' }))
  for (const round of [1, 2]) await write(kit, ...many(300, { data: `{"a":${round}}` }))
  await storeNewManifests(kit, school, 3)
  const drift = { unknown: ['x'], absent: [] }
  await write(kit, { ...pushWrite(school, { data: '{"x":1}' }), drift })
  await keep(kit, [rejection(school)])
  const read = await beginRead(kit.storage, school)
  const line = { level: 'info', kind: 'test.noted', message: 'Noted' } as const
  await kit.storage.missing.askForReview(question(read), null, line)
  await kit.storage.missing.rememberSuspects(read.read, [1, 2])
  await finishTestPull(kit.storage, read.read.pull_id)
  return { school, clinic }
}

/** That many, each with other words than the one before. */
async function storeNewManifests(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  count: number,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const modules = ['students', 'staff'].map((type) => testModule(type))
    const manifest = { ...testManifest(...modules), platform_description: `About ${n}` }
    const log = changeLog()
    assert.ok(
      await storage.manifests.storeManifest({ platform_id, manifest, at: clock.text }, () => log),
    )
  }
}

async function remove({ storage, clock }: StorageKit, platform: TestPlatform): Promise<Removal> {
  const { platform_id, platform_name } = platform
  const request = { platform_id, platform_name, requested_by: 'ann', at: clock.text }
  const removal = await storage.platforms.removePlatform(request, changeLog('platform.removed'))
  assert.ok(removal)
  return removal
}

function register(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  record_types: string[],
) {
  const change = { platform_id, record_types, at: clock.text }
  return storage.platforms.setRegisteredModules(change, changeLog())
}

async function runAll(storage: StorageKit['storage']): Promise<void> {
  while (await storage.removals.removeNext());
}

async function sizes({ storage }: StorageKit): Promise<Record<string, number>> {
  const found: Record<string, number> = {}
  for (const table of OF_PLATFORM) found[table] = await countRows(storage, table)
  return found
}

/** What is counted a module is what there is of it. */
async function expectCountersAsRows({ storage }: StorageKit): Promise<void> {
  const of = async (sql: string) =>
    new Map((await runSql(storage, sql)).map((row) => [Number(row['module_id']), Number(row['n'])]))
  const counted = await of(
    'SELECT module_id, sum(records) AS n FROM module_counters GROUP BY module_id',
  )
  const stored = await of('SELECT module_id, count(*) AS n FROM records GROUP BY module_id')
  for (const [module, n] of counted) assert.equal(n, stored.get(module) ?? 0, `module ${module}`)
  for (const module of stored.keys()) assert.ok(counted.has(module))
}
