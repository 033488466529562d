import assert from 'node:assert/strict'
import type { AuditAction } from '@recordhub/protocol'
import { test } from '../../helpers/storage/engines.ts'
import { pushWrite } from '../../helpers/storage/fixtures.ts'
import { createTwoPlatforms, removePlatform, runRemovals } from '../../helpers/storage/removals.ts'
import { queryTextIndex } from '../../helpers/storage/search.ts'

test('a healthy database has no problems, also while and after a platform is removed', async (kit) => {
  const { school } = await createTwoPlatforms(kit)
  await kit.indexAll()
  const expectHealthy = () =>
    kit.diagnose(async (database) => {
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
  await runRemovals(kit)
  await expectHealthy()
})

test('counters that differ from the rows are found', async (kit) => {
  await createTwoPlatforms(kit)
  await kit.runSql('UPDATE module_counters SET records = records + 2 WHERE records > 200')
  await kit.runSql('UPDATE platforms SET rejected_bytes = 1')
  await kit.runSql('UPDATE hourly_counters SET created = 3 WHERE created > 3')
  const found = await kit.diagnose((database) => database.compareCounters())
  const [row] = await kit.runSql('SELECT sum(bytes) AS n FROM rejected_pushes')
  assert.deepEqual(found, [
    { counter: 'records', name: 'school/students', stored: 252, counted: 250 },
    { counter: 'rejected_bytes', name: 'school', stored: 1, counted: Number(row?.['n']) },
    { counter: 'rejected_bytes', name: 'clinic', stored: 1, counted: 0 },
    {
      ...{ counter: 'created', name: `school, ${kit.clock.text.slice(0, 13)}` },
      ...{ stored: 3, counted: 280 },
    },
  ])
})

test('counters without a module and impossible counts are found', async (kit) => {
  await kit.register()
  const insert = (table: string, values: string) =>
    kit.runSql(`INSERT INTO ${table} VALUES (${values})`)
  await insert('module_counters', `999, 999, 'x', -4, 0, 0, 0, 0`)
  await insert('hourly_counters', `'2026-03-10','2026-03-10T08',999,'x',5,0,0,1,0,0,0,0`)
  await insert('module_drift', `999, 999, 'x', 'unknown', 'k', 0, '2026', '2026'`)
  const found = await kit.diagnose((database) => database.findInvalidCounters())
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
})

test('rows that reference nothing are found', async (kit) => {
  const school = await kit.register()
  await kit.write(pushWrite(school), pushWrite(school, { data: '{"a":1}' }))
  await kit.runSql('UPDATE records SET module_id = 999')
  await kit.runSql('UPDATE record_history SET record_id = 999')
  const found = await kit.diagnose((database) => database.findBrokenReferences())
  assert.deepEqual(
    found.map(({ kind, name }) => [kind, name]),
    [
      ['broken_reference', 'records'],
      ['broken_reference', 'record_history'],
    ],
  )
})

test('the state of the search index is read, and a sample finds records that it lost', async (kit) => {
  const school = await kit.register()
  const references = Array.from({ length: 60 }, (_, n) => `r-${n}`)
  await kit.write(
    ...references.map((reference) =>
      pushWrite(school, {
        reference,
        full_name: `Ann "Ä" O'Hara ${reference}`,
        data: '{"a":"x y"}',
      }),
    ),
  )
  const before = await kit.diagnose((database) => database.readSearchIndex())
  assert.equal(before.lag, 60)
  assert.equal(before.behind_since, kit.clock.text)
  await kit.indexAll()
  const sample = () => kit.diagnose((database) => database.sampleSearchIndex(100))
  const { sampled, missing } = await sample()
  assert.ok(sampled >= 50)
  assert.deepEqual(missing, [])
  const after = await kit.diagnose((database) => database.readSearchIndex())
  assert.deepEqual([after.state, after.lag, after.position], ['current', 0, after.last_change])
  const isPostgres = kit.engine.name === 'PostgreSQL'
  await queryTextIndex(
    kit.storage,
    isPostgres
      ? 'DELETE FROM record_search'
      : `INSERT INTO record_search (record_search) VALUES ('delete-all')`,
  )
  const damaged = await sample()
  assert.equal(damaged.missing.length, damaged.sampled)
})

test('the unfinished pull, the last write, the sources and the key are read', async (kit) => {
  assert.equal(await kit.diagnose((database) => database.readLastWritten()), null)
  const school = await kit.register()
  await kit.storage.encryptedSecrets.ensureReferencesKey('the encrypted key')
  const { pull_id } = await kit.startPull()
  kit.clock.advance(60)
  await school.post()
  await kit.diagnose(async (database) => {
    const pull = await database.readUnfinishedPull()
    assert.deepEqual([pull?.pull_id, pull?.state], [pull_id, 'running'])
    assert.equal(await database.readLastWritten(), kit.clock.text)
    assert.equal(await database.readEncryptedKey(), 'the encrypted key')
    const [source, ...others] = await database.listSources(kit.clock.text)
    assert.deepEqual(
      [{ ...source }, ...others],
      [
        {
          platform_id: school.platform_id,
          platform_name: 'school',
          status: 'active',
          source_base_url: 'https://school.example',
          encrypted_source_key: 'encrypted source key of school',
          health: { state: 'healthy', reasons: [] },
        },
      ],
    )
    assert.equal(await database.isHubRunning(), true)
  })
})

test('entries of an audit log that the database lacks are found, except those that retention deleted', async (kit) => {
  const append = async (action: AuditAction) => {
    await kit.storage.activity.appendAudit({ actor: 'ann', action, target: null, address: null })
    const query = { actor: null, action, actions: null, target: null, from: null, until: null }
    const [entry] = await kit.storage.activity.listAudit({ ...query, limit: 1, before: null })
    assert.ok(entry)
    return { id: entry.id, at: entry.at }
  }
  const old = { id: 1, at: '2020-01-01T00:00:00.000Z' }
  const lostOf = (...entries: { id: number; at: string }[]) =>
    kit.diagnose((database) => database.findLostAudit(entries))
  const first = await append('pull.start')
  kit.clock.advance(60)
  const second = await append('pull.cancel')
  const another = { id: first.id, at: second.at }
  const later = Array.from({ length: 700 }, (_, n) => ({ id: second.id + 1 + n, at: second.at }))
  assert.deepEqual(await lostOf(old, first, second), [])
  assert.deepEqual(await lostOf(first, another, second), [another.id])
  assert.deepEqual(
    await lostOf(...later),
    later.map(({ id }) => id),
  )
  assert.deepEqual(await lostOf(), [])
})

test('the times of a pull and of a change of a record are read', async (kit) => {
  const school = await kit.register()
  const { pull_id } = await kit.startPull()
  const at = kit.clock.text
  await kit.write(pushWrite(school), pushWrite(school, { data: '{"a":1}' }))
  const [row] = await kit.runSql('SELECT record_id, change_seq FROM record_history')
  const change = { record_id: Number(row?.['record_id']), version: Number(row?.['change_seq']) }
  await kit.diagnose(async (database) => {
    assert.equal(await database.readPullTime(pull_id), at)
    assert.equal(await database.readPullTime(pull_id + 1), null)
    assert.equal(await database.readRevertTime(1), null)
    assert.equal(await database.readChangeTime(change), at)
    assert.equal(await database.readChangeTime({ ...change, record_id: 999 }), null)
  })
})

test('the schema of another version is recognised', async (kit) => {
  const read = () => kit.diagnose((database) => database.readSchema())
  await kit.runSql(`INSERT INTO kysely_migration VALUES ('9999-new', '2099')`)
  assert.deepEqual((await read()).unknown, ['9999-new'])
  await kit.runSql(`DELETE FROM kysely_migration WHERE name = '9999-new'`)
  const [first] = (await read()).applied
  assert.ok(first)
  const rename = (from: string, to: string) =>
    kit.runSql(`UPDATE kysely_migration SET name = '${to}' WHERE name = '${from}'`)
  await rename(first, `${first}x`)
  const { pending, unknown } = await read()
  await rename(`${first}x`, first)
  assert.deepEqual([pending, unknown], [[first], [`${first}x`]])
})
