import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { RecordWrite } from '../../../src/storage/port/record-store.ts'
import { type StorageKit, withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import {
  only,
  pushWrite,
  registerTestPlatform,
  type TestPlatform,
  testModule,
  write,
} from '../../helpers/storage/fixtures.ts'
import { moduleWithKeys, readDrift, saveManifest } from '../../helpers/storage/manifests.ts'
import { pullOnce, pullWrite } from '../../helpers/storage/pulls.ts'
import {
  listRejected,
  rejection,
  replayWrite,
  saveRejected,
} from '../../helpers/storage/replays.ts'
import { runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`drift on ${engine.name}`, () => {
    test(
      'drift is counted per key, and only for new and changed records',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const wrong_type = [{ key: 'b', found: 'a number', declared: 'string' }]
        const drift = { unknown: ['x', '\u0000\ud800'], absent: ['a'], wrong_type }
        const push = (data: string) => ({ ...pushWrite(school, { data }), drift })
        await write(kit, push('{"x":1}'))
        const first = kit.clock.text
        kit.clock.advance(60)
        await write(kit, push('{"x":1}'), push('{"x":2}'), { ...push('{}'), drift: NONE })
        const { unknown, absent, wrong_type: wrong, since } = await moduleDrift(kit, school)
        assert.equal(since, first)
        const times = { first_at: first, last_at: kit.clock.text }
        assert.deepEqual(unknown, [
          { key: 'x', count: 2, ...times },
          { key: '\ufffd\ufffd', count: 2, ...times },
        ])
        assert.deepEqual(absent, [{ key: 'a', count: 2, ...times }])
        assert.deepEqual(wrong, [{ key: 'b', count: 2, ...times }])
        await pullOnce(kit, school, async (read) => {
          const one = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
          await write(kit, one)
        })
        await pullOnce(kit, school, async (read) => {
          const same = { ...pullWrite(read, { reference: 'r-2', data: '{"y":1}' }), drift }
          await write(kit, same)
        })
        await saveRejected(kit, [rejection(school)])
        const rejected = only(await listRejected(kit.storage))
        await write(kit, { ...replayWrite(rejected, { reference: 'r-3' }), drift })
        assert.equal((await moduleDrift(kit, school)).absent[0]?.count, 4)
      }),
    )

    test(
      'the number and length of stored key names are limited',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        for (let batch = 0; batch < 12; batch += 1) {
          const writes: RecordWrite[] = Array.from({ length: 40 }, (_, n) => ({
            ...pushWrite(school, { reference: `r-${batch}-${n}` }),
            drift: { unknown: [`k-${batch}-${n}`.repeat(100)], absent: [], wrong_type: [] },
          }))
          await write(kit, ...writes)
        }
        const [row] = await runSql(
          kit.storage,
          'SELECT max(n) AS n FROM (SELECT count(*) AS n FROM module_drift GROUP BY node) c',
        )
        const count = Number(row?.['n'])
        assert.ok(count >= 40 && count <= 200, `${count} names are stored`)
        const [longest] = await runSql(
          kit.storage,
          'SELECT max(length(key)) AS n FROM module_drift',
        )
        assert.ok(Number(longest?.['n']) <= 200)
      }),
    )

    test(
      'the counts restart for a module whose fields have changed',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit, { modules: ['students', 'staff'] })
        const drift = { ...NONE, unknown: ['x'] }
        await write(
          kit,
          { ...pushWrite(school), drift },
          { ...pushWrite(school, { record_type: 'staff' }), drift },
        )
        kit.clock.advance(60)
        await saveManifest(kit, school, moduleWithKeys('students', ['a', 'x']), testModule('staff'))
        const [students, staff] = (await readDrift(kit, school)).modules
        assert.deepEqual([students?.unknown, students?.since], [[], kit.clock.text])
        assert.equal(staff?.unknown.length, 1)
      }),
    )
  })
})

const NONE = { unknown: [], absent: [], wrong_type: [] }

async function moduleDrift(kit: StorageKit, school: TestPlatform) {
  return only((await readDrift(kit, school)).modules)
}
