import assert from 'node:assert/strict'
import type { MissingReview } from '@recordhub/protocol'
import { MISSING_PATH } from '../../../src/domain/revert/hold.ts'
import { test } from '../../helpers/storage/engines.ts'
import { changeLog, only, readPages } from '../../helpers/storage/fixtures.ts'
import type { StorageKit } from '../../helpers/storage/kit.ts'
import { missingReview } from '../../helpers/storage/missing.ts'
import { pullWrite, startPullAndRead, type TestRead } from '../../helpers/storage/pulls.ts'

const NEEDED = {
  level: 'warning',
  kind: 'missing.needs_review',
  message: 'Many are missing',
} as const
const RESOLVED = {
  level: 'info',
  kind: 'missing.resolved',
  message: 'The records are present again',
} as const

test('a review is created with an activity entry and listed with its platform', async (kit) => {
  const read = await startRead(kit)
  await kit.storage.missing.createReview(missingReview(read), null, NEEDED)
  const { id, ...created } = only(await listReviews(kit))
  assert.deepEqual(created, {
    platform_name: 'school',
    module_name: 'Module students',
    record_type: 'students',
    state: 'pending',
    missing: 20,
    records: 50,
    pull_id: read.read.pull_id,
    at: kit.clock.text,
    decided_at: null,
    decided_by: null,
    closed_at: null,
  })
  assert.deepEqual({ ...(await kit.storage.missing.readReview(id)) }, { id, ...created })
  const state = await kit.storage.missing.readMissingState(read.read)
  const { missing, records } = created
  const open = { review_id: id, state: 'pending', missing, records, fingerprint: 'these' }
  assert.deepEqual([{ ...state.review }, state.candidates], [open, null])
  assert.deepEqual(await listKinds(kit), ['missing.needs_review'])
  const platform = only(await kit.storage.platforms.listPlatforms())
  assert.equal(platform.missing_reviews, 1)
})

test('the records of a review that are not marked or held are listed with their last push', async (kit) => {
  const school = await kit.register()
  const names = ['b', 'a', 'marked', 'held', 'other']
  const pushed = []
  for (const reference of names) pushed.push(await school.post({ reference }))
  const read = await school.startRead()
  await kit.markMissing(read, ['marked'])
  const { missing } = kit.storage
  const record_ids = pushed.slice(0, 4).map(({ record_id }) => record_id)
  await missing.createReview(missingReview(read, { record_ids }), null, NEEDED)
  const { platform_id, module_id } = read.read
  await kit.runSql(`INSERT INTO holds (record_id, revert_id, path, platform_id, module_id, refused, at)
    VALUES (${record_ids[3]}, 1, '${MISSING_PATH}', ${platform_id}, ${module_id}, 'x', '${kit.clock.text}')`)
  const { review } = await missing.readMissingState(read.read)
  const listed = await missing.listReviewed(review?.review_id ?? 0)
  assert.deepEqual(
    listed.map(({ reference_number, version }) => [reference_number, version]),
    [
      ['b', null],
      ['a', null],
    ],
  )
  assert.ok(listed.every(({ pushed_seq, pushed_at }) => pushed_seq > 0 && pushed_at !== null))
  assert.deepEqual(await missing.listReviewed(4711), [])
})

test('a review of more records than are looked up at once is listed completely', async (kit) => {
  const school = await kit.register()
  const count = 1001
  const references = Array.from({ length: count }, (_, number) => `R-${number}`)
  const read = await school.startRead()
  await kit.write(...references.map((reference) => pullWrite(read, { reference })))
  const records = await kit.records()
  const record_ids = records.map(({ record_id }) => record_id)
  await kit.storage.missing.createReview(missingReview(read, { record_ids }), null, NEEDED)
  const { review } = await kit.storage.missing.readMissingState(read.read)
  const listed = await kit.storage.missing.listReviewed(review?.review_id ?? 0)
  assert.deepEqual(
    listed.map(({ record_id }) => record_id),
    record_ids.toSorted((one, other) => one - other),
  )
  assert.equal(listed.length, count)
})

test('a new review supersedes the pending review of the module unless an operator has decided in the meantime', async (kit) => {
  const read = await startRead(kit)
  const { missing } = kit.storage
  await missing.createReview(missingReview(read), null, NEEDED)
  await missing.createReview(missingReview(read, { missing: 30 }), null, NEEDED)
  assert.equal(only(await listReviews(kit)).missing, 20)
  const { review } = await missing.readMissingState(read.read)
  await missing.createReview(missingReview(read, { missing: 40 }), review, NEEDED)
  await missing.createReview(missingReview(read, { missing: 50 }), review, NEEDED)
  const states = (await listReviews(kit)).map((one) => [one.missing, one.state])
  assert.deepEqual(states, [
    [40, 'pending'],
    [20, 'superseded'],
  ])
  const open = (await missing.readMissingState(read.read)).review
  await decide(kit, open?.review_id ?? 0, 'approved')
  await missing.createReview(missingReview(read, { missing: 60 }), open, NEEDED)
  assert.equal((await missing.readMissingState(read.read)).review?.state, 'approved')
  assert.deepEqual(await listKinds(kit), [
    'missing.needs_review',
    'missing.needs_review',
    'missing.decided',
  ])
})

test('a decision is saved with the operator and time, can be changed, and is logged once', async (kit) => {
  const read = await startRead(kit)
  await kit.storage.missing.createReview(missingReview(read), null, NEEDED)
  const { id } = only(await listReviews(kit))
  const audits = await kit.countRows('audit')
  kit.clock.advance(60)
  const approved = await decide(kit, id, 'approved')
  assert.deepEqual(
    [approved?.state, approved?.decided_by, approved?.decided_at, approved?.closed_at],
    ['approved', 'ann', kit.clock.text, null],
  )
  assert.deepEqual(await decide(kit, id, 'approved'), approved)
  assert.equal(await kit.countRows('audit'), audits + 1)
  assert.equal((await decide(kit, id, 'dismissed'))?.state, 'dismissed')
  assert.equal(await kit.countRows('audit'), audits + 2)
  const platform = only(await kit.storage.platforms.listPlatforms())
  assert.equal(platform.missing_reviews, 0)
  assert.equal(await decide(kit, id + 1, 'approved'), null)
})

test('a closed review accepts no decision and no new counts, and closing it is logged once', async (kit) => {
  const read = await startRead(kit)
  const { missing } = kit.storage
  await missing.createReview(missingReview(read), null, NEEDED)
  const { id } = only(await listReviews(kit))
  await missing.updateReview(id, missingReview(read, { missing: 12, fingerprint: 'others' }))
  assert.equal(only(await listReviews(kit)).missing, 12)
  await missing.closeReview(id, 'resolved', RESOLVED)
  await missing.closeReview(id, 'marked', RESOLVED)
  await missing.updateReview(id, missingReview(read, { missing: 13 }))
  const closed = await decide(kit, id, 'approved')
  assert.deepEqual([closed?.state, closed?.missing], ['resolved', 12])
  assert.equal(closed?.closed_at, kit.clock.text)
  assert.deepEqual(await listKinds(kit), ['missing.needs_review', 'missing.resolved'])
  assert.equal((await missing.readMissingState(read.read)).review, null)
  await missing.createReview(missingReview(read), null, NEEDED)
  assert.equal((await listReviews(kit)).length, 2)
})

test('reviews are listed newest first, in pages, and filtered by state', async (kit) => {
  const read = await startRead(kit)
  const { missing } = kit.storage
  for (const count of [11, 12, 13, 14, 15]) {
    const { review } = await missing.readMissingState(read.read)
    await missing.createReview(missingReview(read, { missing: count }), review, NEEDED)
  }
  const pages = await readPages<MissingReview>(2, (last) =>
    missing.listReviews({ state: null, limit: 2, before: last?.id ?? null }),
  )
  assert.deepEqual(
    pages.map((one) => one.missing),
    [15, 14, 13, 12, 11],
  )
  const pending = await missing.listReviews({ state: 'pending', limit: 9, before: null })
  assert.equal(only(pending).missing, 15)
})

test('reviews are filtered by the platform and the record type of their module', async (kit) => {
  const { missing } = kit.storage
  const school = await kit.register({ name: 'school' })
  const clinic = await kit.register({ name: 'clinic' })
  for (const platform of [school, clinic]) {
    await platform.pull((read) => missing.createReview(missingReview(read), null, NEEDED))
  }
  const platformsOf = async (filter: { platform?: string; record_type?: string }) => {
    const found = await missing.listReviews({ state: 'pending', limit: 9, before: null, ...filter })
    return found.map(({ platform_name }) => platform_name)
  }
  assert.deepEqual(await platformsOf({ platform: 'school' }), ['school'])
  assert.deepEqual(await platformsOf({ record_type: 'students' }), ['clinic', 'school'])
  assert.deepEqual(await platformsOf({ platform: 'clinic', record_type: 'staff' }), [])
  assert.deepEqual(await platformsOf({ platform: 'unknown' }), [])
})

test('the missing candidates of the last pull are stored until they are replaced or deleted', async (kit) => {
  const read = await startRead(kit)
  const candidates = async () => (await kit.storage.missing.readMissingState(read.read)).candidates
  assert.equal(await candidates(), null)
  for (const ids of [[1, 2, 3], [1, 2, 3], [7]]) {
    await kit.storage.missing.saveCandidates(read.read, ids)
    assert.deepEqual(await candidates(), ids)
  }
  await kit.storage.missing.saveCandidates(read.read, [])
  assert.equal(await candidates(), null)
})

async function startRead(kit: StorageKit): Promise<TestRead> {
  return startPullAndRead(kit.storage, await kit.register())
}

function listReviews({ storage }: StorageKit): Promise<MissingReview[]> {
  return storage.missing.listReviews({ state: null, limit: 100, before: null })
}

function decide({ storage, clock }: StorageKit, id: number, state: 'approved' | 'dismissed') {
  return storage.missing.decideReview(
    { review_id: id, state, by: 'ann', at: clock.text },
    changeLog('missing.decided'),
  )
}

async function listKinds(kit: StorageKit): Promise<string[]> {
  const entries = await kit.activity()
  return entries
    .map((entry) => entry.kind)
    .filter((kind) => kind.startsWith('missing.'))
    .reverse()
}
