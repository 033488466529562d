/** Buckets that differ for a known reason, what a verified digest says about a module, and pulls by digest that are stopped. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Inbox, PlatformPullPage, StartPullResponse } from '@recordhub/protocol'
import { createStoppedClock } from '../helpers/hub/alerts.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addDigestPlatform, type DigestKit, withoutFullReads } from '../helpers/hub/digest-hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { only } from '../helpers/storage/fixtures.ts'

/** It never goes back. */
const clock = createStoppedClock()
const env = withoutFullReads(clock)

/** The requests of two pulls, and what is verified after them. */
async function pullTwice(kit: DigestKit) {
  const requests: string[][] = []
  for (let pull = 0; pull < 2; pull++) {
    clock.advance(60)
    const task = await kit.pull()
    assert.equal(task.error, null)
    requests.push(kit.source.takeRequests())
  }
  const { verified, verified_by } = await kit.completeness()
  return { requests, verified, verified_by }
}

/** What is shown of a module: why it is incomplete, the health of its platform, and the counts of both sides. */
async function shownOf(kit: DigestKit) {
  const { incomplete_reasons, listed, records, missing, pushed_since } = await kit.completeness()
  const { health } = (await kit.hub.storage.platforms.readPlatform(kit.registered.id)) ?? {}
  const codes = health?.reasons.map(({ code }) => code)
  return { reasons: incomplete_reasons, codes, listed, here: records - missing, pushed_since }
}

async function erase(kit: DigestKit, reference: string, mode: 'erase' | 'anonymise') {
  const record = (await kit.records()).find((one) => one.reference_number === reference)
  const url = `/api/v1/records/${record?.record_id}/erase`
  const body = { mode, reason: 'a request' }
  const erased = await kit.hub.callAs('admin', 'POST', url, body)
  assert.equal(erased.status, 200, erased.text)
}

describeHub('explained buckets', { clock, env }, (hub) => {
  test('a rejected record is read once', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.set(300, { full_name: 7 })
    kit.source.set(5, { full_name: null, version: 2 })
    const { requests, verified, verified_by } = await pullTwice(kit)
    assert.deepEqual(requests, [['digest', 'buckets'], ['digest']])
    assert.equal(verified_by, 'digest')
    assert.deepEqual(verified, { records: 299, of: 301, explained: 2 })
    kit.source.set(5, { full_name: 'Ann', version: 3 })
    assert.equal((await kit.pull()).updated, 1)
    kit.source.set(300, { full_name: 'Bob', version: 2 })
    assert.equal((await kit.pull()).created, 1)
    assert.deepEqual((await kit.completeness()).verified, { records: 301, of: 301, explained: 0 })
  })

  test('rejected records of a full read are explained, too, and their warning remains', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.set(300, { full_name: 7 })
    kit.source.set(5, { full_name: null, version: 2 })
    const full = await kit.pull('full')
    assert.deepEqual([full.rejected, full.warnings.length], [2, 1])
    kit.source.takeRequests()
    const { requests, verified } = await pullTwice(kit)
    assert.deepEqual(requests, [['digest'], ['digest']])
    assert.deepEqual(verified, { records: 299, of: 301, explained: 2 })
    const { last_warning } = await kit.completeness()
    assert.match(last_warning ?? '', /full_name/)
  })

  test('a digest with the same versions ends what the list lacked, and counts the records anew', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.behaviour = { lacksTotal: true }
    await kit.pull('full')
    const { reasons, codes } = await shownOf(kit)
    assert.deepEqual([reasons, codes], [['no_total'], ['modules_incomplete']])
    const { hub_api_key } = kit.registered
    assert.equal((await hub.push(hub_api_key, newRecord('R-20'))).status, 201)
    kit.source.set(20)
    kit.source.remove(3, 4)
    assert.equal((await shownOf(kit)).pushed_since, 1)
    clock.advance(60)
    await kit.pull()
    const verified = { reasons: [], codes: [], listed: 19, here: 19, pushed_since: 0 }
    assert.deepEqual(await shownOf(kit), verified)
    assert.equal((await hub.push(hub_api_key, newRecord('R-20'))).status, 200)
    assert.equal((await shownOf(kit)).pushed_since, 1)
  })

  test('rejected records keep a module incomplete until the digest shows that none is left', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    kit.source.set(20, { full_name: 7 })
    kit.source.set(5, { full_name: null, version: 2 })
    await kit.pull()
    assert.deepEqual((await shownOf(kit)).reasons, ['rejected'], 'found by a digest')
    await kit.pull('full')
    await erase(kit, 'R-9', 'erase')
    const shown = async () => {
      clock.advance(60)
      await kit.pull()
      const { reasons, codes } = await shownOf(kit)
      return [reasons.join(), codes?.join()]
    }
    const open = 'rejections_open,modules_incomplete'
    assert.deepEqual(await shown(), ['rejected', open])
    kit.source.set(20, { full_name: 'Bob', version: 2 })
    assert.deepEqual(await shown(), ['rejected', open])
    kit.source.set(5, { full_name: 'Ann', version: 3 })
    // The erased record is still explained, and is no reason.
    assert.deepEqual(await shown(), ['', ''])
    assert.equal((await kit.completeness()).verified?.explained, 1)
  })

  test('records that wait for a review keep a module incomplete until they return', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const { records } = kit.source
    kit.source.records = records.filter((_, number) => number >= 30)
    await pullTwice(kit)
    assert.equal((await kit.reviews()).length, 1)
    assert.deepEqual((await shownOf(kit)).reasons, ['missing_undecided'])
    kit.source.records = records
    await pullTwice(kit)
    const { reasons, listed, here } = await shownOf(kit)
    assert.deepEqual([reasons, listed, here], [[], 100, 100])
  })

  test('a list and a digest that disagree are an item of the inbox until a pull finds them equal', async () => {
    await using kit = await addDigestPlatform(hub, 20)
    const { platform_name } = kit.platform
    const readInbox = async () => expectBody(await hub.get('/api/v1/inbox'), 200, Inbox)
    const itemsOf = async () => {
      const { items } = await readInbox()
      return items.filter(({ platform }) => platform?.platform_name === platform_name)
    }
    kit.source.behaviour = {
      digested: (records) => records.filter((record) => record.reference_number !== 'R-5'),
    }
    const since = clock.now().toISOString()
    await kit.pull()
    assert.deepEqual(await itemsOf(), [], 'the source may have been moving')
    clock.advance(60)
    await kit.pull()
    const { kind, title, reason, record_type, ...item } = only(await itemsOf())
    assert.deepEqual([kind, record_type, item.since], ['disagreement', 'cases', since])
    assert.equal(item.last_at, clock.now().toISOString())
    assert.equal(title, 'The list and the digest of Module cases disagree')
    assert.match(
      reason,
      /^1 bucket of the digest .* reference R-\d+, version 1\. The platform owner/,
    )
    const { open } = await readInbox()
    const { listed, here } = await shownOf(kit)
    assert.deepEqual([listed, here], [20, 20], 'the list is right')
    kit.source.behaviour = {}
    clock.advance(60)
    await kit.pull('digest')
    assert.deepEqual(await itemsOf(), [])
    assert.equal((await readInbox()).open, open - 1)
  })

  for (const mode of ['erase', 'anonymise'] as const) {
    test(`a record that was erased (${mode}) is read once and stays erased`, async () => {
      await using kit = await addDigestPlatform(hub, 300)
      await erase(kit, 'R-9', mode)
      clock.advance(60)
      await kit.pull()
      assert.deepEqual(kit.source.takeRequests().slice(-1), ['buckets'])
      await kit.pull('full')
      kit.source.takeRequests()
      const { requests, verified } = await pullTwice(kit)
      assert.deepEqual(requests, [['digest'], ['digest']])
      assert.deepEqual(verified, { records: 299, of: 300, explained: 1 })
      assert.equal((await kit.present()).includes('R-9'), false)
    })
  }

  test('an erasure during a pull by digest is not undone', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.set(9, { version: 2, data: { status: 'closed' } })
    const delayed = kit.platform.delayNextResponse('records/cases')
    const pulling = kit.pull()
    await delayed.arrived
    await erase(kit, 'R-9', 'erase')
    delayed.release()
    assert.equal((await pulling).error, null)
    assert.equal((await kit.present()).includes('R-9'), false)
    await kit.pull()
    assert.deepEqual((await kit.completeness()).verified, { records: 299, of: 300, explained: 1 })
  })

  test('a pull that is cancelled during the comparison claims nothing, and the next one repairs it', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    for (const endpoint of ['records/cases/digest', 'records/cases'] as const) {
      kit.source.set(9, { version: `${endpoint} changed`, data: { status: endpoint } })
      const delayed = kit.platform.delayNextResponse(endpoint)
      const { pull } = await hub.requestPull({ mode: 'auto' })
      await delayed.arrived
      await hub.callAs('operator', 'POST', `/api/v1/pulls/${pull.id}/cancel`)
      delayed.release()
      assert.equal((await hub.untilPullEnds(pull.id)).pull.state, 'cancelled')
      assert.equal((await kit.completeness()).verified_by, 'read')
    }
    assert.equal((await kit.pull()).updated, 1)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('a pull that a restart interrupts claims nothing, and the next one repairs it', async () => {
    await using kit = await addDigestPlatform(hub, 300)
    kit.source.set(9, { version: 2, data: { status: 'closed' } })
    const delayed = kit.platform.delayNextResponse('records/cases')
    await hub.requestPull({ mode: 'auto' })
    await delayed.arrived
    await hub.restart({ clock, env })
    delayed.release()
    assert.equal((await kit.completeness()).verified_by, 'read')
    assert.equal((await kit.pull()).updated, 1)
    assert.equal((await kit.completeness()).verified_by, 'digest')
  })

  test('an operator compares one module at once', async () => {
    await using kit = await addDigestPlatform(hub, 100)
    const url = `/api/v1/platforms/${kit.registered.id}/pull`
    const body = { record_types: ['cases'], mode: 'digest' }
    const response = await hub.callAs('operator', 'POST', url, body)
    const { pull } = expectBody(response, 202, StartPullResponse)
    await hub.untilPullEnds(pull.id)
    assert.deepEqual(kit.source.takeRequests(), ['digest'])
    const pulls = await hub.get(`/api/v1/platforms/${kit.registered.id}/pulls`)
    assert.equal(expectBody(pulls, 200, PlatformPullPage).pulls[0]?.state, 'succeeded')
    const unknown = await hub.callAs('operator', 'POST', url, { mode: 'sums' })
    expectError(unknown, 400, 'invalid_request')
  })
})
