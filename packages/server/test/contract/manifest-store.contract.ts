import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { DriftAnswer, Module, ModuleCompleteness } from '@recordhub/protocol'
import { manifestKeysOf } from '../../src/domain/drift.ts'
import type { RecordWrite } from '../../src/storage/port/record-store.ts'
import { type StorageEngine, type StorageKit, withStorage } from '../helpers/storage-engine.ts'
import {
  changeLog,
  only,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  testManifest,
  testModule,
  write,
} from '../helpers/storage-fixtures.ts'
import {
  finishTestPull,
  pullOnce,
  pullWrite,
  readOf,
  startRead,
  startTestPull,
  taskResult,
} from '../helpers/storage-pulls.ts'
import { keep, listRefusals, rejection, replayWrite } from '../helpers/storage-replays.ts'
import { runSql } from '../helpers/storage-sql.ts'

const HOUR = 3600

export function describeManifestStore(engine: StorageEngine): void {
  describe(`manifests on ${engine.name}`, () => {
    test(
      'a manifest is taken over: what is new is offered, what is gone is marked and kept',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        kit.clock.advance(HOUR)
        const students = withKeys('students', ['b', 'a'])
        const changes = await store(kit, school, students, testModule('rooms'))
        assert.deepEqual(
          changes?.map((one) => one.change),
          ['field_added', 'module_removed', 'module_added'],
        )
        const platform = await kit.storage.platforms.readPlatform(school.platform_id)
        const at = kit.clock.text
        assert.equal(platform?.manifest_fetched_at, at)
        const modules = new Map(platform.modules.map((module) => [module.record_type, module]))
        assert.deepEqual(
          modules.get('students')?.fields.map((field) => [field.key, field.added_at]),
          [
            ['b', at],
            ['a', undefined],
          ],
        )
        const rooms = modules.get('rooms')
        assert.deepEqual([rooms?.registered, rooms?.added_at], [false, at])
        const staff = modules.get('staff')
        assert.deepEqual([staff?.registered, staff?.removed_at], [true, at])
        kit.clock.advance(HOUR)
        await store(kit, school, withKeys('students', ['b']), testModule('staff'))
        const later = await kit.storage.platforms.readPlatform(school.platform_id)
        const [again, back] = later?.modules ?? []
        assert.deepEqual(
          again?.removed_fields.map((field) => [field.key, field.removed_at]),
          [['a', kit.clock.text]],
        )
        assert.deepEqual([back?.record_type, back?.removed_at], ['staff', null])
        const drift = await readDrift(kit, school)
        assert.deepEqual(
          drift.manifest_changes.map((one) => one.at),
          [kit.clock.text, at],
        )
        assert.deepEqual(drift.manifest_changes[1]?.changes, changes)
      }),
    )

    test(
      'the same manifest once more changes the time and nothing else, and is not told',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const before = await tracesOf(kit)
        kit.clock.advance(HOUR)
        assert.deepEqual(await store(kit, school, testModule('students')), [])
        assert.deepEqual(await tracesOf(kit), before)
        const platform = await kit.storage.platforms.readPlatform(school.platform_id)
        assert.equal(platform?.manifest_fetched_at, kit.clock.text)
        const nowhere = { platform_id: 999, manifest: testManifest(), at: kit.clock.text }
        assert.equal(await kit.storage.manifests.storeManifest(nowhere, () => changeLog()), null)
      }),
    )

    test(
      'what remembers platforms is told, and finds the new keys',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        let told = 0
        kit.storage.platforms.onChange(() => {
          told += 1
        })
        await store(kit, school, withKeys('students', ['a', 'n']))
        await policy(kit, school, 'reject')
        assert.ok(told >= 2)
        const receiver = await kit.storage.platforms.findReceiver(school.key_hash, kit.clock.text)
        const { manifest_keys, drift_policy } = only(receiver?.modules ?? [])
        assert.deepEqual(manifest_keys, manifestKeysOf(withKeys('students', ['a', 'n']).fields))
        assert.equal(drift_policy, 'reject')
        const { tasks } = await startTestPull(kit.storage)
        assert.equal(only(tasks).drift_policy, 'reject')
      }),
    )

    test(
      'a manifest is asked for by one, and once an hour, whatever comes of it',
      withStorage(engine, async (kit) => {
        const { platform_id } = await registerTestPlatform(kit)
        const { manifests } = kit.storage
        const claim = () => {
          const notSince = new Date(kit.clock.now().getTime() - HOUR * 1000).toISOString()
          return manifests.claimManifest(platform_id, { at: kit.clock.text, notSince })
        }
        assert.equal(await claim(), false, 'it was just registered')
        kit.clock.advance(HOUR)
        const claims = await Promise.all(Array.from({ length: 10 }, claim))
        assert.equal(claims.filter(Boolean).length, 1)
        kit.clock.advance(HOUR - 1)
        assert.equal(await claim(), false)
        kit.clock.advance(1)
        assert.equal(await claim(), true)
      }),
    )

    test(
      'the answer that is kept for a module is dropped where its fields have changed',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const kept = { etag: '"1"', last_modified: null, read_tag: 't', records: 0, pushes: 0 }
        const pull = await startTestPull(kit.storage)
        for (const { task_number } of pull.tasks) {
          await kit.storage.pulls.startTask(pull.pull_id, task_number)
          const result = taskResult({ kept })
          await kit.storage.pulls.finishTask(pull.pull_id, task_number, result, null)
        }
        await finishTestPull(kit.storage, pull.pull_id)
        await store(kit, school, withKeys('students', ['a', 'n']), testModule('staff'))
        const next = await startTestPull(kit.storage)
        for (const { task_number, record_type } of next.tasks) {
          const started = await kit.storage.pulls.startTask(next.pull_id, task_number)
          assert.equal(started?.kept?.etag ?? null, record_type === 'staff' ? '"1"' : null)
        }
      }),
    )

    test(
      'a drift policy is changed and told once; of an unknown module nothing is',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const before = await tracesOf(kit)
        await policy(kit, school, 'accept')
        assert.deepEqual(await tracesOf(kit), before)
        await policy(kit, school, 'reject')
        await policy(kit, school, 'reject')
        const { audit } = await tracesOf(kit)
        assert.equal(audit, before.audit + 1)
        assert.equal(await policy(kit, school, 'reject', 'nothing'), false)
      }),
    )
  })

  describe(`drift on ${engine.name}`, () => {
    test(
      'keys are counted by name in new and changed records, and in no other',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const drift = { unknown: ['x', '\u0000\ud800'], absent: ['a'] }
        const push = (data: string) => ({ ...pushWrite(school, { data }), drift })
        await write(kit, push('{"x":1}'))
        const first = kit.clock.text
        kit.clock.advance(60)
        await write(kit, push('{"x":1}'), push('{"x":2}'), { ...push('{}'), drift: NONE })
        const { unknown, absent, since } = await moduleDrift(kit, school)
        assert.equal(since, first)
        const times = { first_at: first, last_at: kit.clock.text }
        assert.deepEqual(unknown, [
          { key: 'x', count: 2, ...times },
          { key: '\ufffd\ufffd', count: 2, ...times },
        ])
        assert.deepEqual(absent, [{ key: 'a', count: 2, ...times }])
        await pullOnce(kit, school, async (read) => {
          const one = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
          await write(kit, one)
        })
        await pullOnce(kit, school, async (read) => {
          const same = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
          await write(kit, same)
        })
        await keep(kit, [rejection(school)])
        const refusal = only(await listRefusals(kit.storage))
        await write(kit, { ...replayWrite(refusal, { reference: 'r-3' }), drift })
        assert.equal((await moduleDrift(kit, school)).absent[0]?.count, 4)
      }),
    )

    test(
      'however many names come, a bounded number is kept',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        for (let batch = 0; batch < 12; batch += 1) {
          const writes: RecordWrite[] = Array.from({ length: 40 }, (_, n) => ({
            ...pushWrite(school, { reference: `r-${batch}-${n}` }),
            drift: { unknown: [`k-${batch}-${n}`.repeat(100)], absent: [] },
          }))
          await write(kit, ...writes)
        }
        const [row] = await runSql(
          kit.storage,
          'SELECT max(n) AS n FROM (SELECT count(*) AS n FROM module_drift GROUP BY node) c',
        )
        const count = Number(row?.['n'])
        assert.ok(count >= 40 && count <= 200, `${count} names are kept`)
        const [longest] = await runSql(
          kit.storage,
          'SELECT max(length(key)) AS n FROM module_drift',
        )
        assert.ok(Number(longest?.['n']) <= 200)
      }),
    )

    test(
      'the counts begin anew for a module whose fields have changed',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const drift = { unknown: ['x'], absent: [] }
        await write(
          kit,
          { ...pushWrite(school), drift },
          { ...pushWrite(school, { record_type: 'staff' }), drift },
        )
        kit.clock.advance(60)
        await store(kit, school, withKeys('students', ['a', 'x']), testModule('staff'))
        const [students, staff] = (await readDrift(kit, school)).modules
        assert.deepEqual([students?.unknown, students?.since], [[], kit.clock.text])
        assert.equal(staff?.unknown.length, 1)
      }),
    )
  })

  describe(`completeness on ${engine.name}`, () => {
    test(
      'it tells when a read last proved a module complete, and what has come since',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { offered: ['staff'] })
        const none = await completenessOf(kit, school)
        assert.deepEqual(
          [none.complete_at, none.last_read_at, none.pushed_since, none.only_here],
          [null, null, null, null],
        )
        await write(kit, pushWrite(school))
        await read(kit, school, ['r-1', 'r-2'], { doubts: [], pushes: 1, records: 2 })
        const provedAt = kit.clock.text
        const proved = await completenessOf(kit, school)
        assert.deepEqual(
          [proved.complete_at, proved.doubts, proved.records, proved.pushed_since],
          [provedAt, [], 2, 0],
        )
        assert.equal(proved.only_here, 0)
        const platform = await kit.storage.platforms.readPlatform(school.platform_id)
        assert.equal(platform?.modules[0]?.complete_at, provedAt)

        kit.clock.advance(60)
        await write(kit, pushWrite(school, { reference: 'r-3' }), pushWrite(school))
        await read(kit, school, ['r-1', 'r-2'], { doubts: ['stale'], pushes: 3, records: 2 })
        const { complete_at, doubts, pushed_since, only_here, last_read_at } = await completenessOf(
          kit,
          school,
        )
        assert.deepEqual(
          { complete_at, doubts, pushed_since, only_here, last_read_at },
          {
            complete_at: provedAt,
            doubts: ['stale'],
            pushed_since: 2,
            only_here: 1,
            last_read_at: kit.clock.text,
          },
        )
      }),
    )

    test(
      'an answer that still holds proves what it proved when it came, and no more',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await read(kit, school, ['r-1'], { doubts: null, records: 1 })
        assert.equal((await completenessOf(kit, school)).complete_at, null)
        await read(kit, school, ['r-1'], { doubts: ['no_total'], records: 1 })
        await read(kit, school, [], { doubts: null, records: 1 })
        assert.equal((await completenessOf(kit, school)).complete_at, null)
        await read(kit, school, ['r-1'], { doubts: [], records: 1 })
        kit.clock.advance(60)
        await read(kit, school, [], { doubts: null, records: 1 })
        assert.equal((await completenessOf(kit, school)).complete_at, kit.clock.text)
      }),
    )

    test(
      'records that are marked as missing are told, and are not only here',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await read(kit, school, ['r-1', 'r-2'], { doubts: [], records: 2 })
        await runSql(
          kit.storage,
          "UPDATE records SET missing_since = '2026-03-10T09:00:00.000Z' WHERE reference_number = 'r-2'",
        )
        await read(kit, school, ['r-1'], { doubts: [], records: 1 })
        const { records, missing, only_here } = await completenessOf(kit, school)
        assert.deepEqual([records, missing, only_here], [2, 1, 0])
      }),
    )

    test(
      'registered modules come in pages, each once, of one platform or of all',
      withStorage(engine, async (kit) => {
        await registerTestPlatform(kit, { modules: ['a', 'b', 'c'], offered: ['d'] })
        await registerTestPlatform(kit, { name: 'clinic', modules: ['a'] })
        const { manifests } = kit.storage
        const page = (platform: string | null, after: number | null) =>
          manifests.listCompleteness({ platform, limit: 2, after })
        const first = await page(null, null)
        const second = await page(null, first.at(-1)?.module_id ?? 0)
        const names = [...first, ...second].map((one) => `${one.platform_name} ${one.record_type}`)
        assert.deepEqual(names, ['school a', 'school b', 'school c', 'clinic a'])
        assert.deepEqual(
          (await page('clinic', null)).map((one) => one.platform_name),
          ['clinic'],
        )
      }),
    )
  })
}

const NONE = { unknown: [], absent: [] }

function withKeys(record_type: string, keys: string[]): Module {
  const known = testModule(record_type)
  const fields = keys.map((key) => ({ key, label: key, type: 'string', required: false }))
  return { ...known, fields: fields.map((one) => known.fields.find(isOf(one.key)) ?? one) }
}

function isOf(key: string) {
  return (field: { key: string }) => field.key === key
}

function store(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  ...modules: Module[]
) {
  const fetched = { platform_id, manifest: testManifest(...modules), at: clock.text }
  return storage.manifests.storeManifest(fetched, () => changeLog('manifest.changed'))
}

function policy(
  { storage, clock }: StorageKit,
  { platform_id }: TestPlatform,
  drift_policy: 'accept' | 'reject',
  record_type = 'students',
): Promise<boolean> {
  const change = { platform_id, record_type, drift_policy, at: clock.text }
  return storage.manifests.setDriftPolicy(change, changeLog('module.drift_policy'))
}

async function readDrift(
  { storage }: StorageKit,
  { platform_id }: TestPlatform,
): Promise<Omit<DriftAnswer, 'success'>> {
  const drift = await storage.manifests.readDrift(platform_id)
  assert.ok(drift)
  return drift
}

async function moduleDrift(kit: StorageKit, school: TestPlatform) {
  return only((await readDrift(kit, school)).modules)
}

/** A read that brings these records. */
async function read(
  kit: StorageKit,
  school: TestPlatform,
  references: string[],
  over: Omit<Parameters<typeof readOf>[0], 'mark'>,
): Promise<void> {
  const pull = await startTestPull(kit.storage)
  const started = await startRead(kit.storage, pull, school)
  await write(kit, ...references.map((reference) => pullWrite(started, { reference })))
  const result = taskResult({ read: readOf({ mark: started.read.mark, ...over }) })
  await kit.storage.pulls.finishTask(pull.pull_id, started.task.task_number, result, null)
  await finishTestPull(kit.storage, pull.pull_id)
}

async function completenessOf(
  { storage }: StorageKit,
  { platform_name }: TestPlatform,
): Promise<ModuleCompleteness> {
  const query = { platform: platform_name, limit: 10, after: null }
  return only(await storage.manifests.listCompleteness(query))
}

async function tracesOf({ storage }: StorageKit) {
  const count = async (table: string) => {
    const [row] = await runSql(storage, `SELECT count(*) AS n FROM ${table}`)
    return Number(row?.['n'])
  }
  return {
    audit: await count('audit'),
    activity: await count('activity'),
    manifest_changes: await count('manifest_changes'),
    modules: await runSql(storage, 'SELECT * FROM modules ORDER BY module_id'),
  }
}
