import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { MAX_KEY_LENGTH } from '../../../src/domain/record/sort-key.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import {
  listRecords,
  only,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  testModule,
  write,
} from '../../helpers/storage/fixtures.ts'
import { saveManifest } from '../../helpers/storage/manifests.ts'
import { countIndexedTexts, indexAll, setIndexedFields } from '../../helpers/storage/search.ts'
import { countRows, runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`the search index on ${engine.name}`, () => {
    test(
      'a step indexes at most the given number of records, and the lag decreases to zero',
      withStorage(engine, async (kit) => {
        const { searchIndex } = kit.storage
        assert.equal(await searchIndex.indexTexts(10), 0)
        await pushMany(kit, await registerTestPlatform(kit), 25)
        const steps: number[][] = []
        for (let indexed = -1; indexed !== 0; ) {
          indexed = await searchIndex.indexTexts(10)
          steps.push([indexed, (await searchIndex.readSearchIndex()).lag])
        }
        assert.deepEqual(steps, [
          [10, 15],
          [10, 5],
          [5, 0],
          [0, 0],
        ])
      }),
    )

    test(
      'behind_since is the time of the first change that is not indexed',
      withStorage(engine, async (kit) => {
        const { searchIndex } = kit.storage
        const since = async () => (await searchIndex.readSearchIndex()).behind_since
        const school = await registerTestPlatform(kit)
        assert.equal(await since(), null)
        const times = [0, 1].map((hours) => {
          return new Date(kit.clock.now().getTime() + hours * 3_600_000).toISOString()
        })
        await write(kit, pushWrite(school))
        kit.clock.advance(3600)
        await write(kit, pushWrite(school, { reference: 'r-2' }))
        assert.equal(await since(), times[0])
        await searchIndex.indexTexts(1)
        assert.equal(await since(), times[1])
        await indexAll(kit.storage)
        assert.equal(await since(), null)
      }),
    )

    test(
      'indexing continues at its position after a restart',
      withStorage(engine, async (kit) => {
        await pushMany(kit, await registerTestPlatform(kit), 25)
        await kit.storage.searchIndex.indexTexts(20)
        const storage = await kit.reopen()
        assert.equal((await storage.searchIndex.readSearchIndex()).lag, 5)
        assert.equal(await indexAll(storage), 5)
      }),
    )

    test(
      'a field index is built from existing records and updated for new and changed ones',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        await pushMany(kit, school, 25)
        await write(kit, pushWrite(school, { reference: 's-1', record_type: 'staff' }))
        await indexAll(storage)
        const chosen = await setIndexedFields(storage, school, ['n', 'absent'])
        assert.deepEqual(chosen, [
          { key: 'n', is_built: false },
          { key: 'absent', is_built: false },
        ])
        await write(kit, pushWrite(school, { reference: 'r-3', data: '{"n":"new"}' }))
        await write(kit, pushWrite(school, { reference: 'r-99', data: '{"n":"newer"}' }))
        await indexAll(storage, 7)
        const built = await storage.searchIndex.listIndexedFields(school.platform_id, 'students')
        assert.deepEqual(built, [
          { key: 'n', is_built: true },
          { key: 'absent', is_built: true },
        ])
        assert.equal(await countRows(storage, 'record_index'), 52)
        const top = await listRecords(storage, {
          ...STUDENTS,
          sort: 'data.n',
          descending: true,
          limit: 2,
        })
        assert.deepEqual(
          top.map((row) => row.reference_number),
          ['r-99', 'r-3'],
        )
      }),
    )

    test(
      'deselecting a field deletes its index, and the field can be selected again',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await pushMany(kit, school, 25)
        await setIndexedFields(storage, school, ['n', 'm'])
        await indexAll(storage)
        assert.deepEqual(await setIndexedFields(storage, school, ['m']), [
          { key: 'm', is_built: true },
        ])
        assert.deepEqual(await setIndexedFields(storage, school, ['m', 'n']), [
          { key: 'm', is_built: true },
          { key: 'n', is_built: false },
        ])
        await indexAll(storage, 10)
        assert.equal(await countRows(storage, 'record_index'), 50)
        await setIndexedFields(storage, school, [])
        await indexAll(storage, 10)
        assert.equal(await countRows(storage, 'record_index'), 0)
        assert.equal(await countRows(storage, 'indexed_fields'), 0)
      }),
    )

    test(
      'selecting the same fields again is not logged, and an unknown module returns null',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await setIndexedFields(kit.storage, school, ['a'])
        await setIndexedFields(kit.storage, school, ['a'])
        const kinds = await runSql(
          kit.storage,
          `SELECT action FROM audit WHERE action = 'module.indexed_fields'`,
        )
        only(kinds)
        assert.equal(await setIndexedFields(kit.storage, school, ['a'], 'nothing'), null)
        assert.equal(await kit.storage.searchIndex.listIndexedFields(999, 'students'), null)
        only(
          await runSql(kit.storage, `SELECT * FROM activity WHERE kind = 'module.indexed_fields'`),
        )
      }),
    )

    test(
      'a field index is rebuilt when the manifest changes the type of its field, and other indexes are not',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        const pushes = ['9', '10', '"x"', '-1'].map((n, at) =>
          pushWrite(school, { reference: `r-${at}`, data: `{"a":${n}}` }),
        )
        await write(kit, ...pushes)
        await setIndexedFields(storage, school, ['a', 'b'])
        await indexAll(storage)
        const sorted = async () =>
          (await listRecords(storage, { ...STUDENTS, sort: 'data.a' })).map((row) => row.data)
        assert.deepEqual(await sorted(), ['{"a":-1}', '{"a":10}', '{"a":9}', '{"a":"x"}'])
        const fields = [{ key: 'a', label: 'A', type: 'integer', required: false }]
        await saveManifest(kit, school, { ...testModule('students'), fields })
        const asNumbers = ['{"a":-1}', '{"a":9}', '{"a":10}', '{"a":"x"}']
        assert.deepEqual(await sorted(), asNumbers, 'the old index is not used')
        const { listIndexedFields } = storage.searchIndex
        assert.deepEqual(await listIndexedFields(school.platform_id, 'students'), [
          { key: 'b', is_built: true },
          { key: 'a', is_built: false },
        ])
        await indexAll(storage)
        assert.deepEqual(await sorted(), asNumbers)
        const states = await listIndexedFields(school.platform_id, 'students')
        assert.ok(states?.every((field) => field.is_built))
        assert.equal(await countRows(storage, 'record_index'), 8)
        assert.equal(await countRows(storage, 'indexed_fields'), 2)
      }),
    )

    test(
      'empty values are found with and without a numeric index',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await runSql(storage, `UPDATE modules SET fields = '[{"key":"a","type":"integer"}]'`)
        const pushes = ['5', '""', 'null', '"x"', '0'].map((value, at) =>
          pushWrite(school, { reference: `r-${at}`, data: `{"a":${value}}` }),
        )
        await write(kit, ...pushes, pushWrite(school, { reference: 'r-9' }))
        const empty = { column: 'data.a' as const, test: 'empty' as const, value: 'true' }
        const found = async () =>
          (await listRecords(storage, { ...STUDENTS, conditions: [empty] })).map(
            (row) => row.reference_number,
          )
        const without = await found()
        assert.deepEqual(without, ['r-1', 'r-2', 'r-9'])
        await setIndexedFields(storage, school, ['a'])
        await indexAll(storage)
        assert.deepEqual(await found(), without)
      }),
    )

    test(
      'values longer than the index key are indexed and found by their full text',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        const start = '王'.repeat(MAX_KEY_LENGTH)
        const pushes = ['', 'a', 'b'].map((end, at) =>
          pushWrite(school, { reference: `r-${at}`, data: `{"a":"${start}${end}"}` }),
        )
        await write(kit, ...pushes)
        await setIndexedFields(storage, school, ['a'])
        await indexAll(storage)
        for (const [test, found] of [
          ['is', ['r-1']],
          ['starts', ['r-1']],
          ['after', ['r-0', 'r-1', 'r-2']],
        ] as const) {
          const conditions = [{ column: 'data.a' as const, test, value: `${start}a` }]
          const rows = await listRecords(storage, { ...STUDENTS, conditions })
          assert.deepEqual(
            rows.map((row) => row.reference_number),
            found,
          )
        }
      }),
    )

    test(
      'an erased record is in no index, whether its last change was indexed or not',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        const school = await registerTestPlatform(kit)
        await pushMany(kit, school, 5)
        await setIndexedFields(storage, school, ['n', 'm'])
        await indexAll(storage)
        await write(kit, pushWrite(school, { reference: 'r-2', data: '{"n":"new"}' }))
        assert.deepEqual(await countEntries(storage), [5, 10])
        const records = await listRecords(storage)
        for (const { record_id, reference_number } of records) {
          if (reference_number === 'r-1' || reference_number === 'r-2') {
            await erase(kit, record_id, 'erase')
          }
        }
        assert.deepEqual(await countEntries(storage), [3, 6])
        await indexAll(storage)
        assert.deepEqual(await countEntries(storage), [3, 6])
      }),
    )

    test(
      'a rebuilt text index contains all records again',
      withStorage(engine, async (kit) => {
        const { storage } = kit
        await pushMany(kit, await registerTestPlatform(kit), 25)
        await indexAll(storage)
        await storage.searchIndex.rebuildTextIndex()
        assert.equal(await storage.searchIndex.indexTexts(20), 20)
        assert.equal((await storage.searchIndex.readSearchIndex()).lag, 5)
        assert.equal(await indexAll(storage), 5)
        assert.equal(await countIndexedTexts(storage), 25)
        assert.equal((await listRecords(storage, { search: ['r-1'] })).length, 11)
      }),
    )
  })
})

const STUDENTS = { platform: 'school', record_type: 'students' }

async function pushMany(kit: StorageKit, school: TestPlatform, count: number): Promise<void> {
  const pushes = Array.from({ length: count }, (_, n) =>
    pushWrite(school, { reference: `r-${n}`, data: `{"n":"${n}","m":${n}}` }),
  )
  await write(kit, ...pushes)
}

async function countEntries(storage: Storage): Promise<number[]> {
  return [await countIndexedTexts(storage), await countRows(storage, 'record_index')]
}
