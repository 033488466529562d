import assert from 'node:assert/strict'
import { causeOf } from '../../../src/domain/record/rejection-groups.ts'
import { test } from '../../helpers/storage/engines.ts'
import {
  activityWithReference,
  countRowsByTable,
  createRecordWithTraces,
  ERASURE_MODES,
  erase,
  expectTextsAbsent,
  hashOfReference,
  NAME,
  REFERENCE,
  saveRejectedPush,
  VALUE,
} from '../../helpers/storage/erasure.ts'
import { changeLog, only, outcomesOf, pushWrite } from '../../helpers/storage/fixtures.ts'
import {
  finishTestPull,
  pullWrite,
  startPullAndRead,
  taskResult,
} from '../../helpers/storage/pulls.ts'
import { rejection, replayWrite, saveRejected } from '../../helpers/storage/replays.ts'

for (const mode of ERASURE_MODES) {
  test(`${mode} deletes the data that its preview lists and leaves no trace in any table`, async (kit) => {
    const { storage } = kit
    const { school, id } = await createRecordWithTraces(kit)
    const preview = await storage.erasure.previewErasure(id)
    assert.deepEqual(preview, {
      record_id: id,
      platform_name: 'school',
      module_name: 'Module students',
      record_type: 'students',
      reference_number: REFERENCE,
      full_name: NAME,
      history_entries: 2,
      rejected_pushes: 3,
      requests: 2,
      activity_entries: 3,
    })
    await kit.setIndexedFields(school, ['a'])
    await kit.indexAll()
    const before = await countRowsByTable(kit)
    const erasure = await erase(kit, id, mode)
    const { tombstone_id } = erasure
    assert.deepEqual(erasure, {
      record_id: id,
      mode,
      tombstone_id,
      history_entries: 2,
      rejected_pushes: 3,
      requests: 2,
      activity_entries: 3,
    })
    await expectTextsAbsent(kit, [REFERENCE, NAME, VALUE])
    const after = await countRowsByTable(kit)
    assert.equal(after['record_history'], Number(before['record_history']) - 2)
    assert.equal(after['rejected_pushes'], Number(before['rejected_pushes']) - 3)
    assert.deepEqual([after['request_batches'], after['request_details']], [1, 0])
    const [{ lines } = { lines: '' }] = await kit.runSql('SELECT lines FROM request_batches')
    assert.deepEqual(JSON.parse(String(lines)).map(Boolean), [false, false, true])
    assert.equal(after['activity'], Number(before['activity']) + 1)
    for (const index of ['record_search', 'record_index']) {
      assert.deepEqual([before[index], after[index]], [2, 1], `left in ${index}`)
    }
    assert.equal(after['records'], Number(before['records']) - (mode === 'erase' ? 1 : 0))
    const platform = await storage.platforms.readPlatform(school.platform_id)
    assert.equal(platform?.records, after['records'])
    const [sum] = await kit.runSql('SELECT sum(bytes) AS n FROM rejected_pushes')
    const [counter] = await kit.runSql('SELECT sum(rejected_bytes) AS n FROM platforms')
    assert.equal(Number(counter?.['n']), Number(sum?.['n']))
  })

  test(`${mode} is listed as a change with its own sequence number`, async (kit) => {
    const { storage } = kit
    const { id } = await createRecordWithTraces(kit)
    const newest = Math.max(...(await kit.records()).map((row) => row.change_seq))
    await erase(kit, id, mode)
    const deletions = await kit.runSql('SELECT * FROM record_deletions')
    if (mode === 'erase') {
      const { change_seq, at, ...deletion } = only(deletions)
      assert.ok(Number(change_seq) > newest)
      assert.equal(at, kit.clock.text)
      assert.equal(deletion['record_id'], id)
      assert.equal(deletion['platform_name'], 'school')
      assert.equal(deletion['record_type'], 'students')
      assert.equal(await storage.records.readRecord(id), null)
    } else {
      assert.deepEqual(deletions, [])
      const row = await kit.record(id)
      assert.ok(row.change_seq > newest)
      assert.deepEqual([row.full_name, row.data], ['', '{}'])
      assert.deepEqual(await kit.history(id), [])
    }
  })
}

test('an erasure deletes the held pushes of its record, and not those of another that refer to it', async (kit) => {
  const { school, id } = await createRecordWithTraces(kit)
  const held = (reference_number: string) => {
    const data = { friend: REFERENCE }
    const body = JSON.stringify({ record_type: 'students', reference_number, data })
    return kit.saveRejected([rejection(school, { code: 'held', body })])
  }
  const stored = () => kit.countRows("rejected_pushes WHERE code = 'held'")
  await held(REFERENCE)
  await held('other')
  await erase(kit, id, 'erase')
  assert.equal(await stored(), 1)
  await held(REFERENCE)
  await held('another')
  assert.equal(await stored(), 2)
})

test('an anonymised record can be erased under the same tombstone', async (kit) => {
  const { storage } = kit
  const { school, id } = await createRecordWithTraces(kit)
  const first = await erase(kit, id, 'anonymise')
  const again = await erase(kit, id, 'anonymise')
  assert.equal(again.tombstone_id, first.tombstone_id)
  const erased = await erase(kit, id, 'erase')
  assert.equal(erased.tombstone_id, first.tombstone_id)
  const tombstone = only(await storage.erasure.listTombstones({ limit: 5, before: null }))
  assert.equal(tombstone.mode, 'erase')
  assert.deepEqual(await storage.erasure.readTombstone(tombstone.id), tombstone)
  const push = pushWrite(school, { reference: REFERENCE })
  assert.deepEqual(await kit.outcomesOf(push), ['record_erased'])
})

test('an erasure interrupted after writing its tombstone is completed by a second request', async (kit) => {
  const { storage } = kit
  const { school, id } = await createRecordWithTraces(kit)
  // The state after a process was killed: the tombstone exists, and all data is still stored.
  const { platform_name, record_type } = await kit.record(id)
  const { tombstone_id } = await erase(kit, id, 'erase')
  const record = await storage.erasure.readTombstone(tombstone_id)
  await storage.erasure.deleteTombstone(tombstone_id, changeLog())
  const { record_id } = await school.post({ reference: REFERENCE })
  await kit.runSql(`INSERT INTO tombstones (reference_hash, platform_name, record_type, mode, record_id, at, actor)
           VALUES ('${hashOfReference(REFERENCE)}', '${platform_name}', '${record_type}', 'erase', ${record_id},
             '${record?.at}', 'ann')`)
  const changed = pushWrite(school, { reference: REFERENCE, full_name: NAME })
  assert.deepEqual(await kit.outcomesOf(changed), ['record_erased'])
  await erase(kit, record_id, 'erase')
  await expectTextsAbsent(kit, [REFERENCE, NAME])
  only(await storage.erasure.listTombstones({ limit: 5, before: null }))
})

test('erasing a record does not affect the same reference in other modules and platforms, or similar references', async (kit) => {
  const school = await kit.register({ modules: ['students', 'staff'] })
  const clinic = await kit.register({ name: 'clinic' })
  const { record_id } = await school.post()
  const others = [
    pushWrite(school, { record_type: 'staff' }),
    pushWrite(clinic),
    pushWrite(school, { reference: 'r-11' }),
    pushWrite(school, { reference: 'R-1' }),
  ]
  await kit.write(...others)
  const entries = await activityWithReference(kit, 'r-1')
  const { activity_entries } = await erase(kit, record_id, 'erase')
  assert.equal(activity_entries, 1)
  assert.equal((await activityWithReference(kit, 'r-1')).length, entries.length - 1)
  assert.equal((await kit.records()).length, 4)
  assert.deepEqual(await kit.outcomesOf(...others), Array(4).fill('unchanged'))
  assert.deepEqual(await kit.outcomesOf(pushWrite(school)), ['record_erased'])
})

test('only one of several concurrent erasures of a record takes effect', async (kit) => {
  const { storage } = kit
  const { id } = await createRecordWithTraces(kit)
  const request = { record_id: id, mode: 'erase', actor: 'ann' } as const
  const results = await Promise.all(
    [1, 2, 3].map(() => storage.erasure.eraseRecord(request, changeLog('record.erased'))),
  )
  assert.equal(results.filter((result) => result !== null).length, 1)
  only(await storage.erasure.listTombstones({ limit: 5, before: null }))
  assert.equal(await kit.countRows('record_deletions'), 1)
  assert.equal(await storage.erasure.previewErasure(id), null)
  assert.equal(await storage.erasure.eraseRecord(request, changeLog()), null)
})

test('the tombstone has the mode that took effect when a record is erased and anonymised concurrently', async (kit) => {
  const { storage } = kit
  const { school, id } = await createRecordWithTraces(kit)
  await Promise.all(
    ERASURE_MODES.map((mode) =>
      storage.erasure.eraseRecord({ record_id: id, mode, actor: 'ann' }, changeLog()),
    ),
  )
  const tombstone = only(await storage.erasure.listTombstones({ limit: 5, before: null }))
  const isStored = (await storage.records.readRecord(id)) !== null
  assert.equal(tombstone.mode, isStored ? 'anonymise' : 'erase')
  await expectTextsAbsent(kit, [REFERENCE, NAME])
  await school.pull(async (read) => {
    const references = [REFERENCE, 'other']
    await kit.write(...references.map((reference) => pullWrite(read, { reference })))
    assert.equal(read.read.seen.size, await storage.missing.countUnmarked(read.read))
  })
})

test('a push during an erasure is stored before it or rejected, and leaves no data', async (kit) => {
  const { school, id } = await createRecordWithTraces(kit)
  const pushing = Array.from({ length: 30 }, (_, n) =>
    kit.write(pushWrite(school, { reference: REFERENCE, data: `{"a":"${VALUE} ${n}"}` })),
  )
  const [outcomes] = await Promise.all([Promise.all(pushing), erase(kit, id, 'erase')])
  for (const outcome of outcomesOf(outcomes.flat())) {
    assert.ok(['updated', 'record_erased'].includes(outcome), outcome)
  }
  await expectTextsAbsent(kit, [REFERENCE, NAME, VALUE])
})

test('erasing a record deletes the rejected push it was replayed from, even if the push does not contain its reference', async (kit) => {
  const { storage } = kit
  const school = await kit.register()
  await saveRejectedPush(kit, school, { full_name: NAME, data: VALUE })
  await saveRejectedPush(kit, school, { full_name: 'Bea' })
  const [rejected] = await kit.rejected()
  assert.ok(rejected)
  const { record_id } = await kit.writeOne(replayWrite(rejected, { reference: REFERENCE }))
  const preview = await storage.erasure.previewErasure(record_id)
  assert.equal(preview?.rejected_pushes, 1)
  assert.equal((await erase(kit, record_id, 'erase')).rejected_pushes, 1)
  await expectTextsAbsent(kit, [REFERENCE, NAME, VALUE])
  assert.equal((await kit.rejected()).length, 1)
})

test('references with quotes, special characters and maximum length are erased', async (kit) => {
  const school = await kit.register()
  const strange = ['"\\\u2028\'%_*', '王 🦊 é', 'x'.repeat(512), ' leading', '١٢٣', '\\u0041']
  for (const reference of strange) {
    const { record_id } = await school.post({ reference })
    await saveRejectedPush(kit, school, reference)
    const { activity_entries, rejected_pushes } = await erase(kit, record_id, 'erase')
    assert.deepEqual([activity_entries, rejected_pushes], [1, 1], reference)
    const push = pushWrite(school, { reference })
    assert.deepEqual(await kit.outcomesOf(push), ['record_erased'])
  }
  assert.deepEqual(await kit.records(), [])
})

test('the error of a pull that stored nothing names a rejected record until it is erased', async (kit) => {
  const school = await kit.register()
  const { record_id } = await school.post({ reference: REFERENCE })
  const { task, read } = await startPullAndRead(kit.storage, school)
  const { pull_id } = read
  const body = JSON.stringify({ reference_number: REFERENCE, data: 1 })
  const pulled = { record_type: 'students', method: 'pull', pull_id, body, cause: 'c' } as const
  const other = { ...pulled, cause: 'other', body: '{"reference_number":"before"}' }
  await saveRejected(kit, [rejection(school, other), rejection(school, pulled)])
  const error_cause = causeOf('invalid_record', 'students', 'c')
  const failed = taskResult({ state: 'failed', error: 'No record was stored.', error_cause })
  await kit.storage.pulls.finishTask(pull_id, task.task_number, failed, null)
  await finishTestPull(kit.storage, pull_id)
  const { pulls } = kit.storage
  const { platform_id } = school
  /** Of the task, and of the pull of the platform. */
  const readErrors = async () => [
    only(await pulls.listTasks({ pull_id, limit: 5, after: null })).error,
    only(await pulls.listPlatformPulls({ platform_id, limit: 5, before: null })).error,
  ]
  const named = `No record was stored. The first one has the reference number ${REFERENCE}.`
  assert.deepEqual(await readErrors(), [named, named])
  await erase(kit, record_id, 'erase')
  assert.deepEqual(await readErrors(), ['No record was stored.', 'No record was stored.'])
  await expectTextsAbsent(kit, [REFERENCE])
})
