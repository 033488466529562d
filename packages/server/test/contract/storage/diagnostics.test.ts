import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { diagnose } from '../../helpers/storage/diagnostics.ts'
import { withStorage } from '../../helpers/storage/engine.ts'
import { onEachEngine } from '../../helpers/storage/engines.ts'
import { pushWrite, registerTestPlatform, write } from '../../helpers/storage/fixtures.ts'
import { startTestPull } from '../../helpers/storage/pulls.ts'
import { createTwoPlatforms, removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import { indexAll, queryTextIndex } from '../../helpers/storage/search.ts'
import { runSql } from '../../helpers/storage/sql.ts'

onEachEngine((engine) => {
  describe(`diagnostics on ${engine.name}`, () => {
    test(
      'a healthy database has no problems, also while and after a platform is removed',
      withStorage(engine, async (kit) => {
        const { school } = await createTwoPlatforms(kit)
        await indexAll(kit.storage)
        const expectHealthy = () =>
          diagnose(kit, async (database) => {
            assert.deepEqual(await database.compareCounters(), [])
            assert.deepEqual(await database.findInvalidCounters(), [])
            assert.deepEqual(await database.findDefects(), [])
            assert.deepEqual(await database.findBrokenReferences(), [])
            assert.deepEqual(await database.findDamage(), [])
            const { pending, unknown } = await database.readSchema()
            assert.deepEqual([pending, unknown], [[], []])
          })
        await expectHealthy()
        await removePlatform(kit, school)
        await expectHealthy()
        await kit.storage.removals.runNextStep()
        await expectHealthy()
        await runRemovals(kit.storage)
        await expectHealthy()
      }),
    )

    test(
      'counters that differ from the rows are found',
      withStorage(engine, async (kit) => {
        await createTwoPlatforms(kit)
        await runSql(
          kit.storage,
          'UPDATE module_counters SET records = records + 2 WHERE records > 600',
        )
        await runSql(kit.storage, 'UPDATE platforms SET rejected_bytes = 1')
        await runSql(kit.storage, 'UPDATE hourly_counters SET created = 3 WHERE created > 3')
        const found = await diagnose(kit, (database) => database.compareCounters())
        const [row] = await runSql(kit.storage, 'SELECT sum(bytes) AS n FROM rejected_pushes')
        assert.deepEqual(found, [
          { counter: 'records', name: 'school/students', stored: 702, counted: 700 },
          { counter: 'rejected_bytes', name: 'school', stored: 1, counted: Number(row?.['n']) },
          { counter: 'rejected_bytes', name: 'clinic', stored: 1, counted: 0 },
          {
            ...{ counter: 'created', name: `school, ${kit.clock.text.slice(0, 13)}` },
            ...{ stored: 3, counted: 1200 },
          },
        ])
      }),
    )

    test(
      'counters without a module and impossible counts are found',
      withStorage(engine, async (kit) => {
        await registerTestPlatform(kit)
        const insert = (table: string, values: string) =>
          runSql(kit.storage, `INSERT INTO ${table} VALUES (${values})`)
        await insert('module_counters', `999, 999, 'x', -4, NULL, 0`)
        await insert('hourly_counters', `'2026-03-10','2026-03-10T08',999,'x',5,0,0,1,0,0,0,0`)
        await insert('module_drift', `999, 999, 'x', 'unknown', 'k', 0, '2026', '2026'`)
        const found = await diagnose(kit, (database) => database.findInvalidCounters())
        assert.deepEqual(
          found.map(({ table, reason, rows }) => `${table} ${reason} ${rows}`),
          [
            'module_counters orphaned 1',
            'module_counters impossible 1',
            'hourly_counters orphaned 1',
            'hourly_counters impossible 1',
            'module_drift orphaned 1',
            'module_drift impossible 1',
          ],
        )
      }),
    )

    test(
      'rows that reference nothing are found',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        await write(kit, pushWrite(school), pushWrite(school, { data: '{"a":1}' }))
        await runSql(kit.storage, 'UPDATE records SET module_id = 999')
        await runSql(kit.storage, 'UPDATE record_history SET record_id = 999')
        const found = await diagnose(kit, (database) => database.findBrokenReferences())
        assert.deepEqual(
          found.map(({ kind, name }) => [kind, name]),
          [
            ['broken_reference', 'records'],
            ['broken_reference', 'record_history'],
          ],
        )
      }),
    )

    test(
      'the state of the search index is read, and a sample finds records that it lost',
      withStorage(engine, async (kit) => {
        const school = await registerTestPlatform(kit)
        const references = Array.from({ length: 60 }, (_, n) => `r-${n}`)
        await write(
          kit,
          ...references.map((reference) =>
            pushWrite(school, {
              reference,
              full_name: `Ann "Ä" O'Hara ${reference}`,
              data: '{"a":"x y"}',
            }),
          ),
        )
        const before = await diagnose(kit, (database) => database.readSearchIndex())
        assert.equal(before.lag, 60)
        assert.equal(before.behind_since, kit.clock.text)
        await indexAll(kit.storage)
        const sample = () => diagnose(kit, (database) => database.sampleSearchIndex(100))
        const { sampled, missing } = await sample()
        assert.ok(sampled >= 50)
        assert.deepEqual(missing, [])
        const after = await diagnose(kit, (database) => database.readSearchIndex())
        assert.deepEqual(
          [after.state, after.lag, after.position],
          ['current', 0, after.last_change],
        )
        const isPostgres = engine.name === 'PostgreSQL'
        await queryTextIndex(
          kit.storage,
          isPostgres
            ? 'DELETE FROM record_search'
            : `INSERT INTO record_search (record_search) VALUES ('delete-all')`,
        )
        const damaged = await sample()
        assert.equal(damaged.missing.length, damaged.sampled)
      }),
    )

    test(
      'the unfinished pull, the last write, the sources and the key are read',
      withStorage(engine, async (kit) => {
        assert.equal(await diagnose(kit, (database) => database.readLastWritten()), null)
        const school = await registerTestPlatform(kit)
        await kit.storage.encryptedSecrets.ensureReferencesKey('the encrypted key')
        const { pull_id } = await startTestPull(kit.storage)
        kit.clock.advance(60)
        await write(kit, pushWrite(school))
        await diagnose(kit, async (database) => {
          const pull = await database.readUnfinishedPull()
          assert.deepEqual([pull?.pull_id, pull?.state], [pull_id, 'running'])
          assert.equal(await database.readLastWritten(), kit.clock.text)
          assert.equal(await database.readEncryptedKey(), 'the encrypted key')
          const [source, ...others] = await database.listSources()
          assert.deepEqual(
            [{ ...source }, ...others],
            [
              {
                platform_id: school.platform_id,
                platform_name: 'school',
                status: 'active',
                source_base_url: 'https://school.example',
                encrypted_source_key: 'encrypted source key of school',
              },
            ],
          )
          assert.equal(await database.isHubRunning(), true)
        })
      }),
    )

    test(
      'the schema of another version is recognised',
      withStorage(engine, async (kit) => {
        const read = () => diagnose(kit, (database) => database.readSchema())
        await runSql(kit.storage, `INSERT INTO kysely_migration VALUES ('9999-new', '2099')`)
        assert.deepEqual((await read()).unknown, ['9999-new'])
        await runSql(kit.storage, `DELETE FROM kysely_migration WHERE name = '9999-new'`)
        const [first] = (await read()).applied
        assert.ok(first)
        await runSql(
          kit.storage,
          'UPDATE kysely_migration SET name = name || $$x$$'.replaceAll('$$', "'"),
        )
        const { pending, unknown } = await read()
        await runSql(kit.storage, `UPDATE kysely_migration SET name = '${first}'`)
        assert.deepEqual([pending, unknown], [[first], [`${first}x`]])
      }),
    )
  })
})
