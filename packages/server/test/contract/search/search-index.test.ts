import assert from 'node:assert/strict'
import { MAX_KEY_LENGTH } from '../../../src/domain/record/sort-key.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { test } from '../../helpers/storage/engines.ts'
import { erase } from '../../helpers/storage/erasure.ts'
import { only, pushWrite, type TestPlatform, testModule } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { saveManifest } from '../../helpers/storage/manifests.ts'
import { countIndexedTexts } from '../../helpers/storage/search.ts'
import { countRows } from '../../helpers/storage/sql.ts'

test('a step indexes at most the given number of records, and the lag decreases to zero', async (kit) => {
  const { searchIndex } = kit.storage
  assert.equal(await searchIndex.indexTexts(10), 0)
  await pushMany(kit, await kit.register(), 25)
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
})

test('behind_since is the time of the first change that is not indexed', async (kit) => {
  const { searchIndex } = kit.storage
  const since = async () => (await searchIndex.readSearchIndex()).behind_since
  const school = await kit.register()
  assert.equal(await since(), null)
  const times = [0, 1].map((hours) => {
    return new Date(kit.clock.now().getTime() + hours * 3_600_000).toISOString()
  })
  await school.post()
  kit.clock.advance(3600)
  await school.post({ reference: 'r-2' })
  assert.equal(await since(), times[0])
  await searchIndex.indexTexts(1)
  assert.equal(await since(), times[1])
  await kit.indexAll()
  assert.equal(await since(), null)
})

test('indexing continues at its position after a restart', async (kit) => {
  await pushMany(kit, await kit.register(), 25)
  await kit.storage.searchIndex.indexTexts(20)
  const storage = await kit.reopen()
  assert.equal((await storage.searchIndex.readSearchIndex()).lag, 5)
  assert.equal(await kit.indexAll(), 5)
})

test('a field index is built from existing records and updated for new and changed ones', async (kit) => {
  const { storage } = kit
  const school = await kit.register({ modules: ['students', 'staff'] })
  await pushMany(kit, school, 25)
  await school.post({ reference: 's-1', record_type: 'staff' })
  await kit.indexAll()
  const chosen = await kit.setIndexedFields(school, ['n', 'absent'])
  assert.deepEqual(chosen, [
    { key: 'n', is_built: false },
    { key: 'absent', is_built: false },
  ])
  await school.post({ reference: 'r-3', data: '{"n":"new"}' })
  await school.post({ reference: 'r-99', data: '{"n":"newer"}' })
  await kit.indexAll(7)
  const built = await storage.searchIndex.listIndexedFields(school.platform_id, 'students')
  assert.deepEqual(built, [
    { key: 'n', is_built: true },
    { key: 'absent', is_built: true },
  ])
  assert.equal(await kit.countRows('record_index'), 52)
  const top = await kit.records({
    ...STUDENTS,
    sort: 'data.n',
    descending: true,
    limit: 2,
  })
  assert.deepEqual(
    top.map((row) => row.reference_number),
    ['r-99', 'r-3'],
  )
})

test('deselecting a field deletes its index, and the field can be selected again', async (kit) => {
  const school = await kit.register()
  await pushMany(kit, school, 25)
  await kit.setIndexedFields(school, ['n', 'm'])
  await kit.indexAll()
  assert.deepEqual(await kit.setIndexedFields(school, ['m']), [{ key: 'm', is_built: true }])
  assert.deepEqual(await kit.setIndexedFields(school, ['m', 'n']), [
    { key: 'm', is_built: true },
    { key: 'n', is_built: false },
  ])
  await kit.indexAll(10)
  assert.equal(await kit.countRows('record_index'), 50)
  await kit.setIndexedFields(school, [])
  await kit.indexAll(10)
  assert.equal(await kit.countRows('record_index'), 0)
  assert.equal(await kit.countRows('indexed_fields'), 0)
})

test('selecting the same fields again is not logged, and an unknown module returns null', async (kit) => {
  const school = await kit.register()
  await kit.setIndexedFields(school, ['a'])
  await kit.setIndexedFields(school, ['a'])
  const kinds = await kit.runSql(`SELECT action FROM audit WHERE action = 'module.indexed_fields'`)
  only(kinds)
  assert.equal(await kit.setIndexedFields(school, ['a'], 'nothing'), null)
  assert.equal(await kit.storage.searchIndex.listIndexedFields(999, 'students'), null)
  only(await kit.runSql(`SELECT * FROM activity WHERE kind = 'module.indexed_fields'`))
})

test('a field index is rebuilt when the manifest changes the type of its field, and other indexes are not', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  const pushes = ['9', '10', '"x"', '-1'].map((n, at) =>
    pushWrite(school, { reference: `r-${at}`, data: `{"a":${n}}` }),
  )
  await kit.write(...pushes)
  await kit.setIndexedFields(school, ['a', 'b'])
  await kit.indexAll()
  const sorted = async () =>
    (await kit.records({ ...STUDENTS, sort: 'data.a' })).map((row) => row.data)
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
  await kit.indexAll()
  assert.deepEqual(await sorted(), asNumbers)
  const states = await listIndexedFields(school.platform_id, 'students')
  assert.ok(states?.every((field) => field.is_built))
  assert.equal(await kit.countRows('record_index'), 8)
  assert.equal(await kit.countRows('indexed_fields'), 2)
})

test('empty values are found with and without a numeric index', async (kit) => {
  const school = await kit.register()
  await kit.runSql(`UPDATE modules SET fields = '[{"key":"a","type":"integer"}]'`)
  const pushes = ['5', '""', 'null', '"x"', '0'].map((value, at) =>
    pushWrite(school, { reference: `r-${at}`, data: `{"a":${value}}` }),
  )
  await kit.write(...pushes, pushWrite(school, { reference: 'r-9' }))
  const empty = { column: 'data.a' as const, test: 'empty' as const, value: 'true' }
  const found = async () =>
    (await kit.records({ ...STUDENTS, conditions: [empty] })).map((row) => row.reference_number)
  const without = await found()
  assert.deepEqual(without, ['r-1', 'r-2', 'r-9'])
  await kit.setIndexedFields(school, ['a'])
  await kit.indexAll()
  assert.deepEqual(await found(), without)
})

test('values longer than the index key are indexed and found by their full text', async (kit) => {
  const school = await kit.register()
  const start = '王'.repeat(MAX_KEY_LENGTH)
  const pushes = ['', 'a', 'b'].map((end, at) =>
    pushWrite(school, { reference: `r-${at}`, data: `{"a":"${start}${end}"}` }),
  )
  await kit.write(...pushes)
  await kit.setIndexedFields(school, ['a'])
  await kit.indexAll()
  for (const [test, found] of [
    ['is', ['r-1']],
    ['starts', ['r-1']],
    ['after', ['r-0', 'r-1', 'r-2']],
  ] as const) {
    const conditions = [{ column: 'data.a' as const, test, value: `${start}a` }]
    const rows = await kit.records({ ...STUDENTS, conditions })
    assert.deepEqual(
      rows.map((row) => row.reference_number),
      found,
    )
  }
})

test('an erased record is in no index, whether its last change was indexed or not', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await pushMany(kit, school, 5)
  await kit.setIndexedFields(school, ['n', 'm'])
  await kit.indexAll()
  await school.post({ reference: 'r-2', data: '{"n":"new"}' })
  assert.deepEqual(await countEntries(storage), [5, 10])
  const records = await kit.records()
  for (const { record_id, reference_number } of records) {
    if (reference_number === 'r-1' || reference_number === 'r-2') {
      await erase(kit, record_id, 'erase')
    }
  }
  assert.deepEqual(await countEntries(storage), [3, 6])
  await kit.indexAll()
  assert.deepEqual(await countEntries(storage), [3, 6])
})

test('a rebuilt text index contains all records again', async (kit) => {
  const { storage } = kit
  await pushMany(kit, await kit.register(), 25)
  await kit.indexAll()
  await storage.searchIndex.rebuildTextIndex()
  assert.equal(await storage.searchIndex.indexTexts(20), 20)
  assert.equal((await storage.searchIndex.readSearchIndex()).lag, 5)
  assert.equal(await kit.indexAll(), 5)
  assert.equal(await countIndexedTexts(storage), 25)
  assert.equal((await kit.records({ search: ['r-1'] })).length, 11)
})

const STUDENTS = { platform: 'school', record_type: 'students' }

async function pushMany(kit: StorageKit, school: TestPlatform, count: number): Promise<void> {
  const pushes = Array.from({ length: count }, (_, n) =>
    pushWrite(school, { reference: `r-${n}`, data: `{"n":"${n}","m":${n}}` }),
  )
  await kit.write(...pushes)
}

async function countEntries(storage: Storage): Promise<number[]> {
  return [await countIndexedTexts(storage), await countRows(storage, 'record_index')]
}
