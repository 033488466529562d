import assert from 'node:assert/strict'
import type { RecordWrite } from '../../../src/storage/port/record-store.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite, type TestPlatform, testModule } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { moduleWithKeys, readDrift, saveManifest } from '../../helpers/storage/manifests.ts'
import { pullWrite } from '../../helpers/storage/pulls.ts'
import { rejection, replayWrite } from '../../helpers/storage/replays.ts'

test('drift is counted per key, and only for new and changed records', async (kit) => {
  const school = await kit.register()
  const wrong_type = [{ key: 'b', found: 'a number', declared: 'string' }]
  const drift = { unknown: ['x', '\u0000\ud800'], absent: ['a'], wrong_type }
  const push = (data: string) => ({ ...pushWrite(school, { data }), drift })
  await kit.write(push('{"x":1}'))
  const first = kit.clock.text
  kit.clock.advance(60)
  await kit.write(push('{"x":1}'), push('{"x":2}'), { ...push('{}'), drift: NONE })
  const { unknown, absent, wrong_type: wrong, since } = await moduleDrift(kit, school)
  assert.equal(since, first)
  const times = { first_at: first, last_at: kit.clock.text }
  assert.deepEqual(unknown, [
    { key: 'x', count: 2, ...times },
    { key: '\ufffd\ufffd', count: 2, ...times },
  ])
  assert.deepEqual(absent, [{ key: 'a', count: 2, ...times }])
  assert.deepEqual(wrong, [{ key: 'b', count: 2, ...times }])
  await school.pull(async (read) => {
    const one = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
    await kit.write(one)
  })
  await school.pull(async (read) => {
    const same = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
    await kit.write(same)
  })
  await kit.saveRejected([rejection(school)])
  const rejected = only(await kit.rejected())
  await kit.write({ ...replayWrite(rejected, { reference: 'r-3' }), drift })
  assert.equal((await moduleDrift(kit, school)).absent[0]?.count, 4)
})

test('the number and length of stored key names are limited', async (kit) => {
  const school = await kit.register()
  for (let batch = 0; batch < 12; batch += 1) {
    const writes: RecordWrite[] = Array.from({ length: 40 }, (_, n) => ({
      ...pushWrite(school, { reference: `r-${batch}-${n}` }),
      drift: { unknown: [`k-${batch}-${n}`.repeat(100)], absent: [], wrong_type: [] },
    }))
    await kit.write(...writes)
  }
  const [row] = await kit.runSql(
    'SELECT max(n) AS n FROM (SELECT count(*) AS n FROM module_drift GROUP BY node) c',
  )
  const count = Number(row?.['n'])
  assert.ok(count >= 40 && count <= 200, `${count} names are stored`)
  const [longest] = await kit.runSql('SELECT max(length(key)) AS n FROM module_drift')
  assert.ok(Number(longest?.['n']) <= 200)
})

test('the counts restart for a module whose fields have changed', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const drift = { ...NONE, unknown: ['x'] }
  await kit.write(
    { ...pushWrite(school), drift },
    { ...pushWrite(school, { record_type: 'staff' }), drift },
  )
  kit.clock.advance(60)
  await saveManifest(kit, school, moduleWithKeys('students', ['a', 'x']), testModule('staff'))
  const [students, staff] = (await readDrift(kit, school)).modules
  assert.deepEqual([students?.unknown, students?.since], [[], kit.clock.text])
  assert.equal(staff?.unknown.length, 1)
})

const NONE = { unknown: [], absent: [], wrong_type: [] }

async function moduleDrift(kit: StorageKit, school: TestPlatform) {
  return only((await readDrift(kit, school)).modules)
}
