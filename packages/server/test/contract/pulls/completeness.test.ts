import assert from 'node:assert/strict'
import type { ModuleCompleteness } from '@recordhub/protocol'
import { identifyManifest } from '../../../src/domain/pull/unchanged.ts'
import { moduleRef } from '../../helpers/storage/digests.ts'
import { test } from '../../helpers/storage/engines.ts'
import { only, pushWrite, type TestPlatform } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { moduleWithKeys, saveManifest } from '../../helpers/storage/manifests.ts'
import { completeRead, NO_COUNTS, pullWrite, taskResult } from '../../helpers/storage/pulls.ts'

const CACHED = {
  ...{ etag: '"v1"', last_modified: 'Tue, 10 Mar 2026 08:00:00 GMT', read_fingerprint: 'f' },
  ...{ records: 1, version: 0, missing_members: [] },
}

test('completeness contains the time at which a pull last proved a module complete, and the number of pushes since', async (kit) => {
  const school = await kit.register({ offered: ['staff'] })
  const none = await completenessOf(kit, school)
  assert.deepEqual(
    [none.complete_at, none.last_read_at, none.pushed_since, none.only_here],
    [null, null, null, null],
  )
  await school.post()
  await readModule(kit, school, ['r-1', 'r-2'], {
    incomplete_reasons: [],
    pushes: 1,
    records: 2,
  })
  const provedAt = kit.clock.text
  const proved = await completenessOf(kit, school)
  assert.deepEqual(
    [proved.complete_at, proved.incomplete_reasons, proved.records, proved.pushed_since],
    [provedAt, [], 2, 0],
  )
  assert.equal(proved.only_here, 0)
  const platform = await kit.storage.platforms.readPlatform(school.platform_id)
  assert.equal(platform?.modules[0]?.complete_at, provedAt)

  kit.clock.advance(60)
  await kit.write(pushWrite(school, { reference: 'r-3' }), pushWrite(school))
  await readModule(kit, school, ['r-1', 'r-2'], {
    incomplete_reasons: ['rejected'],
    pushes: 3,
    records: 2,
  })
  const { complete_at, incomplete_reasons, pushed_since, only_here, last_read_at } =
    await completenessOf(kit, school)
  assert.deepEqual(
    { complete_at, incomplete_reasons, pushed_since, only_here, last_read_at },
    {
      complete_at: provedAt,
      incomplete_reasons: ['rejected'],
      pushed_since: 2,
      only_here: 1,
      last_read_at: kit.clock.text,
    },
  )
})

test('a 304 response is a confirmation and verifies nothing, and the next body ends it', async (kit) => {
  const school = await kit.register()
  const timesOf = async () => {
    const { complete_at, confirmed_at, confirmed_by } = await completenessOf(kit, school)
    return [complete_at, confirmed_at, confirmed_by]
  }
  await readModule(kit, school, ['r-1'], { incomplete_reasons: [], records: 1 })
  const verifiedAt = kit.clock.text
  assert.deepEqual(await timesOf(), [verifiedAt, null, null])
  for (const [etag, by] of [
    ['"v1"', 'etag'],
    [null, 'last_modified'],
  ] as const) {
    kit.clock.advance(60)
    const cached_response = { ...CACHED, etag }
    const unchanged = { incomplete_reasons: null, records: 1 }
    await readModule(kit, school, [], unchanged, { cached_response })
    assert.deepEqual(await timesOf(), [verifiedAt, kit.clock.text, by])
  }
  kit.clock.advance(60)
  await readModule(kit, school, ['r-1'], { incomplete_reasons: ['no_total'], records: 1 })
  assert.deepEqual(await timesOf(), [verifiedAt, null, null])
})

test('a module lists the elements of its last body, rejected ones included, also after a 304', async (kit) => {
  const school = await kit.register()
  assert.equal((await completenessOf(kit, school)).listed, null)
  const counts = { ...NO_COUNTS, received: 3, rejected: 2 }
  await readModule(
    kit,
    school,
    ['r-1'],
    { incomplete_reasons: ['rejected'], records: 1 },
    { counts },
  )
  await readModule(kit, school, [], { incomplete_reasons: null, records: 1 })
  assert.equal((await completenessOf(kit, school)).listed, 3)
})

test('records marked as missing are not counted as absent from the last pull', async (kit) => {
  const school = await kit.register()
  await readModule(kit, school, ['r-1', 'r-2'], { incomplete_reasons: [], records: 2 })
  await kit.runSql(
    "UPDATE records SET missing_since = '2026-03-10T09:00:00.000Z' WHERE reference_number = 'r-2'",
  )
  await readModule(kit, school, ['r-1'], { incomplete_reasons: [], records: 1 })
  const { records, missing, only_here } = await completenessOf(kit, school)
  assert.deepEqual([records, missing, only_here], [2, 1, 0])
})

test('versions that are not stable count again with another manifest or source', async (kit) => {
  const school = await kit.register()
  const isNotStable = async () => (await completenessOf(kit, school)).digest?.not_stable
  await saveManifest(kit, school, moduleWithKeys('students', ['a']))
  const { fields } = only((await kit.startPull()).tasks)
  const source = await kit.storage.platforms.readSource(school.platform_id)
  const unstable_manifest_hash = identifyManifest(fields, source?.source_base_url ?? '')
  const unstable = { unversioned: 0, unstable_at: kit.clock.text, unstable_manifest_hash }
  await kit.storage.digests.saveDigest(await moduleRef(kit, school), unstable)
  assert.equal(await isNotStable(), true)
  await saveManifest(kit, school, moduleWithKeys('students', ['a', 'b']))
  assert.equal(await isNotStable(), false)
  await saveManifest(kit, school, moduleWithKeys('students', ['a']))
  assert.equal(await isNotStable(), true)
  await kit.runSql("UPDATE platforms SET source_base_url = 'https://other.test'")
  assert.equal(await isNotStable(), false)
})

test('each registered module is on one page, for one platform or for all', async (kit) => {
  await kit.register({ modules: ['a', 'b', 'c'], offered: ['d'] })
  await kit.register({ name: 'clinic', modules: ['a'] })
  const { completeness } = kit.storage
  const page = (platform: string | null, after: number | null) =>
    completeness.listCompleteness({ platform, limit: 2, after })
  const first = await page(null, null)
  const second = await page(null, first.at(-1)?.module_id ?? 0)
  const names = [...first, ...second].map((one) => `${one.platform_name} ${one.record_type}`)
  assert.deepEqual(names, ['school a', 'school b', 'school c', 'clinic a'])
  assert.deepEqual(
    (await page('clinic', null)).map((one) => one.platform_name),
    ['clinic'],
  )
})

/** Performs one pull of the module that returns these records. */
async function readModule(
  kit: StorageKit,
  school: TestPlatform,
  references: string[],
  over: Omit<Parameters<typeof completeRead>[0], 'snapshotSeq'>,
  result: Parameters<typeof taskResult>[0] = {},
): Promise<void> {
  const pull = await kit.startPull()
  const started = await kit.startRead(pull, school)
  await kit.write(...references.map((reference) => pullWrite(started, { reference })))
  const read = completeRead({ snapshotSeq: started.read.snapshotSeq, ...over })
  const { task_number } = started.task
  await kit.storage.pulls.finishTask(
    pull.pull_id,
    task_number,
    taskResult({ read, ...result }),
    null,
  )
  await kit.finishPull(pull.pull_id)
}

async function completenessOf(
  { storage }: StorageKit,
  { platform_name }: TestPlatform,
): Promise<ModuleCompleteness> {
  const query = { platform: platform_name, limit: 10, after: null }
  return only(await storage.completeness.listCompleteness(query))
}
