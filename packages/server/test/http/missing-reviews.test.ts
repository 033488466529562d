/** The missing threshold: when many records are missing at once, an operator reviews them first. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MissingReviewResponse, RecordPage } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import {
  addPlatformWithRecords,
  missingReferences,
  startHubWithRecords,
} from '../helpers/hub/missing.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError, expectMembers } from '../helpers/hub/response.ts'
import { openXlsx } from '../helpers/hub/xlsx-file.ts'
import { simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { isDeep } from '../helpers/time/tier.ts'

const MEMBERS = [
  ...['id', 'platform_name', 'module_name', 'record_type', 'state', 'missing', 'records'],
  ...['pull_id', 'at', 'decided_at', 'decided_by', 'closed_at'],
]
type Decision = 'approve' | 'dismiss'
type Kit = Awaited<ReturnType<typeof addPlatformWithRecords>>

/** Rows of the deep tier. */
const inDeepTier = (...rows: (readonly [count: number, missing: number])[]) => (isDeep ? rows : [])

describeHub('many records missing at once', (hub, engine) => {
  // `missing.test.ts` checks the threshold itself.
  for (const [count, missing] of [[50, 10] as const, ...inDeepTier([9, 9], [40, 9])]) {
    test(`${missing} missing of ${count} are marked without a review`, async () => {
      await using kit = await addPlatformWithRecords(hub, count)
      kit.setRecords(kit.records.slice(missing))
      assert.equal((await kit.hub.pullAll()).pull.counts.missing, missing)
      assert.deepEqual(await kit.listReviews(), [])
    })
  }

  for (const [count, missing] of [[49, 10] as const, ...inDeepTier([10, 10], [50, 11])]) {
    test(`${missing} missing of ${count} open one review, which is logged once`, async () => {
      await using kit = await addPlatformWithRecords(hub, count)
      kit.setRecords(kit.records.slice(missing))
      const { pull } = await kit.hub.pullAll()
      const { missing: marked, not_listed } = pull.counts
      assert.deepEqual([pull.state, marked, not_listed], ['succeeded', 0, missing])
      const before = await kit.readRecords()
      assert.deepEqual(missingReferences(before), [])
      const review = only(await kit.listReviews())
      expectMembers(review, MEMBERS)
      const { platform_name } = kit.platform
      assert.equal(review.platform_name, platform_name)
      assert.deepEqual(
        [review.record_type, review.state, review.missing, review.records, review.pull_id],
        ['cases', 'pending', missing, count, pull.id],
      )
      const entry = only(await missingEntriesOf(kit))
      assert.deepEqual([entry.level, entry.platform_name], ['warning', platform_name])
      assert.match(entry.message, new RegExp(`^${missing} of ${count} records of Module cases`))
      assert.equal(await pendingReviewsOf(kit.hub, kit.id), 1)
      const { tasks } = await kit.hub.pullAll()
      assert.equal(only(tasks).not_listed, missing, 'as long as the review is open')
      assert.deepEqual(await kit.listReviews(), [review])
      assert.equal((await missingEntriesOf(kit)).length, 1)
      assert.deepEqual(await kit.readRecords(), before)
    })
  }

  test('the missing threshold is configurable', async () => {
    await using kit = await startHubWithRecords(engine, 20, { HUB_MISSING_FUSE: '50' })
    kit.setRecords(kit.records.slice(10))
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 10)
    kit.setRecords([])
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 0)
    assert.equal(only(await kit.listReviews()).records, 10)
  })

  test('after an approval the next full pull marks the records that are still missing', async () => {
    await using kit = await addPlatformWithRecords(hub, 40)
    kit.setRecords(kit.records.slice(20))
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    const audits = await kit.hub.countRows('audit')
    const approved = await decide(kit.hub, id, 'approve')
    assert.deepEqual([approved.state, approved.decided_by], ['approved', 'token 2 (test operator)'])
    assert.equal(await kit.hub.countRows('audit'), audits + 1)
    assert.equal(await pendingReviewsOf(kit.hub, kit.id), 0)
    assert.deepEqual(missingReferences(await kit.readRecords()), [])

    // A push and the pull each contain one of the records again, and one more is missing.
    await kit.hub.push(kit.key, newRecord('R-0'))
    kit.setRecords([simulatedRecord(0), simulatedRecord(1), ...kit.records.slice(21)])
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 19)
    const missing = missingReferences(await kit.readRecords())
    assert.equal(missing.length, 19)
    assert.ok(!missing.includes('R-0') && !missing.includes('R-1') && missing.includes('R-20'))
    const closed = only(await kit.listReviews())
    assert.deepEqual([closed.state, closed.closed_at !== null], ['marked', true])
    const kinds = (await missingEntriesOf(kit)).map((entry) => entry.kind)
    assert.deepEqual(kinds, ['missing.marked', 'missing.approved', 'missing.needs_review'])
    for (const decision of ['approve', 'dismiss'] as const) {
      expectError(await send(kit.hub, id, decision), 409, 'missing_review_closed')
    }
  })

  test('an approval does not cover many more records than were reviewed', async () => {
    await using kit = await addPlatformWithRecords(hub, 60)
    kit.setRecords(kit.records.slice(20))
    await kit.hub.pullAll()
    const first = only(await kit.listReviews())
    await decide(kit.hub, first.id, 'approve')
    kit.setRecords([])
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 0)
    assert.deepEqual(missingReferences(await kit.readRecords()), [])
    const states = (await kit.listReviews()).map((one) => [one.state, one.missing])
    assert.deepEqual(states, [
      ['pending', 60],
      ['superseded', 20],
    ])
    expectError(await send(kit.hub, first.id, 'approve'), 409, 'missing_review_closed')
    assert.equal(only(await kit.listReviews('?state=pending')).missing, 60)
  })

  test('after a dismissal nothing is marked and no review opens until other records are missing', async () => {
    await using kit = await addPlatformWithRecords(hub, 40)
    kit.setRecords(kit.records.slice(20))
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    assert.equal((await decide(kit.hub, id, 'dismiss')).state, 'dismissed')
    const before = await kit.listReviews()
    for (const _ of [1, 2]) assert.equal((await kit.hub.pullAll()).pull.counts.missing, 0)
    assert.deepEqual(await kit.listReviews(), before)
    kit.setRecords([simulatedRecord(0), ...kit.records.slice(21)])
    await kit.hub.pullAll()
    const states = (await kit.listReviews()).map((one) => [one.state, one.missing])
    assert.deepEqual(states, [
      ['pending', 20],
      ['superseded', 20],
    ])
    assert.deepEqual(missingReferences(await kit.readRecords()), [])
  })

  test('a dismissed review can still be approved', async () => {
    await using kit = await addPlatformWithRecords(hub, 40)
    kit.setRecords([])
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    await decide(kit.hub, id, 'dismiss')
    await decide(kit.hub, id, 'approve')
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 40)
    assert.equal(only(await kit.listReviews()).state, 'marked')
  })

  test('a review is resolved automatically once none of its records is missing', async () => {
    await using kit = await addPlatformWithRecords(hub, 40)
    kit.setRecords(kit.records.slice(20))
    await kit.hub.pullAll()
    kit.setRecords(kit.records.slice(15))
    await kit.hub.pullAll()
    assert.deepEqual(only(await kit.listReviews()).missing, 15)
    kit.setRecords(kit.records)
    await kit.hub.pullAll()
    const closed = only(await kit.listReviews())
    assert.deepEqual([closed.state, closed.closed_at !== null], ['resolved', true])
    const [entry] = await missingEntriesOf(kit)
    assert.match(entry?.message ?? '', /none of them is missing any more/)
    assert.equal(await pendingReviewsOf(kit.hub, kit.id), 0)
  })

  test('a review lists exactly its records, in pages, filtered and as a file', async () => {
    await using kit = await addPlatformWithRecords(hub, 60)
    kit.setRecords(kit.records.slice(25))
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    const expected = referencesOf(kit.records.slice(0, 25))
    assert.deepEqual(await listReviewed(kit.hub, id, { limit: '7' }), expected)
    assert.deepEqual(
      await listReviewed(kit.hub, id, { sort: 'reference_number', limit: '10' }),
      expected,
    )
    assert.deepEqual(await listReviewed(kit.hub, id, { reference_number: 'R-3' }), ['R-3'])
    assert.deepEqual(await listReviewed(kit.hub, id, { reference_number: 'R-30' }), [])
    assert.deepEqual(await listReviewed(kit.hub, id + 1), [])

    const first = await kit.hub.get(`/api/v1/records?missing_review=${id}&limit=7`)
    const { estimated_total, total_is_estimate } = expectBody(first, 200, RecordPage)
    assert.deepEqual([estimated_total, total_is_estimate], [25, false])

    const csv = await exportReviewed(kit.hub, id, 'csv')
    assert.deepEqual(csv.toString().trim().split('\r\n').slice(1).sort(), expected)
    const sheets = await openXlsx(await exportReviewed(kit.hub, id, 'xlsx'))
    assert.deepEqual(sheets.get('Records')?.slice(1).flat().sort(), expected)
    const json: { records: { reference_number: string }[] } = JSON.parse(
      `${await exportReviewed(kit.hub, id, 'json')}`,
    )
    assert.deepEqual(referencesOf(json.records), expected)
    const lines = `${await exportReviewed(kit.hub, id, 'ndjson')}`.trim().split('\n')
    assert.deepEqual(referencesOf(lines.map((line) => JSON.parse(line))), expected)
  })

  test('a pending review is updated when other records are missing, and its list does not change once they are marked', async () => {
    await using kit = await addPlatformWithRecords(hub, 60)
    kit.setRecords(kit.records.slice(20))
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    kit.setRecords([...kit.records.slice(0, 5), ...kit.records.slice(25)])
    await kit.hub.pullAll()
    const review = only(await kit.listReviews())
    assert.deepEqual([review.id, review.missing], [id, 20])
    const expected = referencesOf(kit.records.slice(5, 25))
    assert.deepEqual(await listReviewed(kit.hub, id), expected)
    await decide(kit.hub, id, 'approve')
    await kit.hub.pullAll()
    assert.deepEqual(missingReferences(await kit.readRecords()), expected)
    assert.deepEqual(await listReviewed(kit.hub, id), expected)
    const read = await kit.hub.get(`/api/v1/missing-reviews/${id}`)
    assert.equal(expectBody(read, 200, MissingReviewResponse).missing_review.state, 'marked')
    expectError(await kit.hub.get(`/api/v1/missing-reviews/${id + 1}`), 404, 'not_found')
  })

  test('an incomplete read in between does not use up an approval', async () => {
    await using kit = await addPlatformWithRecords(hub, 40)
    kit.setRecords([])
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    await decide(kit.hub, id, 'approve')
    kit.setRecords([{ full_name: 'Who?' }])
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 0)
    assert.equal(only(await kit.listReviews()).state, 'approved')
    kit.setRecords([])
    assert.equal((await kit.hub.pullAll()).pull.counts.missing, 40)
  })

  test('a decision about an unknown review returns 404', async () => {
    await using kit = await addPlatformWithRecords(hub, 20)
    kit.setRecords([])
    await kit.hub.pullAll()
    const { id } = only(await kit.listReviews())
    for (const decision of ['approve', 'dismiss'] as const) {
      expectError(await send(kit.hub, id + 1, decision), 404, 'not_found')
    }
    expectError(await kit.hub.get('/api/v1/missing-reviews?state=x'), 400, 'invalid_request')
    assert.equal(only(await kit.listReviews()).state, 'pending')
  })
})

describeHub('the list of reviews', { engines: 'both' }, (hub) => {
  test('reviews are listed by platform and record type', async () => {
    await using kit = await addPlatformWithRecords(hub, 20)
    kit.setRecords([])
    await kit.hub.pullAll()
    const platform = `platform=${kit.platform.platform_name}`
    for (const [query, count] of [
      [platform, 1],
      [`${platform}&record_type=cases&state=pending`, 1],
      [`${platform}&record_type=staff`, 0],
      ['platform=unknown', 0],
    ] as const) {
      assert.equal((await kit.listReviews(`?${query}`)).length, count, query)
    }
  })
})

function send(hub: TestHub, id: number, decision: Decision) {
  return hub.callAs('operator', 'POST', `/api/v1/missing-reviews/${id}/${decision}`)
}

async function decide(hub: TestHub, id: number, decision: Decision) {
  return expectBody(await send(hub, id, decision), 200, MissingReviewResponse).missing_review
}

const referencesOf = (records: { reference_number: string }[]) =>
  records.map((record) => record.reference_number).sort()

/** The references of all records of a review, read page by page. */
async function listReviewed(hub: TestHub, id: number, parameters: Record<string, string> = {}) {
  const found: string[] = []
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const query = new URLSearchParams({
      missing_review: `${id}`,
      ...parameters,
      ...(cursor ? { cursor } : {}),
    })
    const page = expectBody(await hub.get(`/api/v1/records?${query}`), 200, RecordPage)
    found.push(...page.records.map((record) => record.reference_number))
    cursor = page.next_cursor
  }
  return found.sort()
}

/** Exports the records of a review. CSV and XLSX files contain only the reference numbers. */
async function exportReviewed(hub: TestHub, id: number, format: string): Promise<Buffer> {
  const columns = /csv|xlsx/.test(format) ? '&columns=hub_reference_number' : ''
  const url = `${hub.address}/api/v1/records/export?missing_review=${id}&format=${format}${columns}`
  const response = await fetch(url, { headers: { authorization: hub.authorization('viewer') } })
  assert.equal(response.status, 200)
  return Buffer.from(await response.arrayBuffer())
}

/** The activity entries about missing records of the platform, newest first. An operator's decision has no platform. */
async function missingEntriesOf({ hub, platform }: Kit) {
  const entries = (await hub.activity()).filter((entry) => entry.kind.startsWith('missing.'))
  return entries.filter((entry) => entry.message.includes(platform.platform_name))
}

/** The number of pending reviews in the platform's response. */
async function pendingReviewsOf(hub: TestHub, id: number): Promise<number> {
  const { platform } = await hub.call('GET /api/v1/platforms/:id', { params: { id } })
  return platform.missing_reviews
}
