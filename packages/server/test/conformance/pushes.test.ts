import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { RULES } from '@recordhub/platform-checker'
import { createPushClient } from '@recordhub/platform-kit'
import type { CheckedEndpoint } from '@recordhub/protocol'
import {
  createManualClock,
  createSendPush,
  LISTED_REFERENCE,
  MODULE,
  newChange,
  newRecord,
  OBSERVATION_MS,
  type SendPush,
  startPushCheck,
} from '../helpers/platform/push-check.ts'

const names = { record_type: 'cases', module_name: MODULE.module_name }

const rulesOf = ({ findings }: CheckedEndpoint) => findings.map(({ rule }) => rule)

test("the kit's push client passes every check without findings", async () => {
  const receiver = await startPushCheck()
  const { address: hubUrl, hubApiKey } = receiver
  const client = createPushClient({ hubUrl, hubApiKey })
  const create = (number: number) => {
    const { reference_number, full_name, data } = newRecord(number)
    return client.created({ ...names, reference_number, full_name, data })
  }
  assert.equal((await create(1)).outcome, 'stored')
  const reference = { ...names, reference_number: 'N-1' }
  assert.equal((await client.updated(reference, { data: { status: 'shut' } })).outcome, 'stored')
  assert.equal((await create(2)).outcome, 'stored', 'after a 503')
  assert.equal((await create(3)).outcome, 'stored', 'after its connection was closed')
  assert.equal((await create(4)).outcome, 'rejected')
  // A timer may end a little early.
  await pause(OBSERVATION_MS + 100)
  assert.equal((await create(5)).outcome, 'stored', 'after a 401')
  const checked = await receiver.checked
  await client.close()
  assert.deepEqual(checked.findings, [])
  assert.equal(checked.passed.length, 8, 'the check that pushes arrived, and seven others')
})

type Case = { rule: string; push: (push: SendPush, advance: (ms: number) => void) => Promise<void> }

/** Sends two valid pushes, after which the check injects faults. */
async function begin(push: SendPush): Promise<void> {
  await push('POST', newRecord(1))
  await push('PATCH', newChange(1, { status: 'shut' }))
}

const CASES: Case[] = [
  { rule: 'push.nothing', push: async () => undefined },
  { rule: 'push.not_seen', push: begin },
  {
    rule: 'api_key_invalid',
    push: async (push) =>
      void (await push('POST', newRecord(1), { headers: { 'X-API-KEY': 'rhk_other' } })),
  },
  {
    rule: 'api_key_invalid',
    push: async (push) =>
      void (await push('POST', newRecord(1), { headers: { 'X-API-KEY': null } })),
  },
  {
    rule: 'unsupported_media_type',
    push: async (push) =>
      void (await push('POST', newRecord(1), { headers: { 'Content-Type': 'text/plain' } })),
  },
  {
    rule: 'invalid_json',
    push: async (push) => void (await push('POST', null, { text: '{"a":' })),
  },
  {
    rule: 'invalid_record',
    push: async (push) => void (await push('POST', newRecord(1, { reference_number: 7 }))),
  },
  {
    rule: 'module_not_registered',
    push: async (push) => void (await push('POST', newRecord(1, { record_type: 'x' }))),
  },
  {
    rule: 'push.header',
    push: async (push) =>
      void (await push('POST', newRecord(1), { headers: { 'ngrok-skip-browser-warning': null } })),
  },
  {
    rule: 'push.member_unknown',
    push: async (push) => void (await push('POST', newRecord(1, { platform_name: 'x' }))),
  },
  {
    rule: 'push.module_name',
    push: async (push) => void (await push('POST', newRecord(1, { module_name: 'x' }))),
  },
  {
    rule: 'push.occurred_at',
    push: async (push) => void (await push('POST', newRecord(1, { occurred_at: undefined }))),
  },
  {
    rule: 'push.occurred_at_future',
    push: async (push) =>
      void (await push('POST', newRecord(1, { occurred_at: '2999-01-01T00:00:00Z' }))),
  },
  {
    rule: 'field.unknown',
    push: async (push) => void (await push('POST', newRecord(1, { data: { colour: 1 } }))),
  },
  {
    rule: 'push.reference_unknown',
    push: async (push) => void (await push('PATCH', newChange(9, { status: 'x' }))),
  },
  {
    rule: 'push.patch_unchanged',
    push: async (push) => {
      await push('POST', newRecord(1))
      await push('PATCH', newChange(1, { status: 'open 1', closed_at: '2026-11-21' }))
    },
  },
  {
    rule: 'push.not_retried',
    push: async (push) => {
      await begin(push)
      const { status, retryAfter } = await push('POST', newRecord(2))
      assert.deepEqual({ status, retryAfter }, { status: 503, retryAfter: '1' })
    },
  },
  {
    rule: 'push.blocked',
    push: async (push) => {
      await begin(push)
      assert.equal((await push('POST', newRecord(2))).status, 503)
    },
  },
  {
    rule: 'push.retry_after_ignored',
    push: async (push) => {
      await begin(push)
      const record = newRecord(2)
      await push('POST', record)
      assert.equal((await push('POST', record)).status, 503)
    },
  },
  {
    rule: 'push.storm',
    push: async (push) => {
      await begin(push)
      const record = newRecord(2)
      for (let attempt = 0; attempt < 8; attempt += 1) await push('POST', record)
    },
  },
  {
    rule: 'push.storm',
    push: async (push) => {
      const headers = { 'X-API-KEY': 'wrong' }
      for (let attempt = 0; attempt < 8; attempt += 1) await push('POST', newRecord(1), { headers })
    },
  },
  {
    rule: 'push.order',
    push: async (push) => {
      await begin(push)
      await push('POST', newRecord(2, { occurred_at: undefined }))
      await push('PATCH', newChange(2, { status: 'later' }, { occurred_at: undefined }))
    },
  },
  {
    rule: 'push.rejected_again',
    push: async (push, advance) => {
      await begin(push)
      const late = newRecord(2)
      await push('POST', late)
      advance(1000)
      assert.equal((await push('POST', late)).status, 201)
      const disconnected = newRecord(3)
      assert.equal((await push('POST', disconnected)).status, null)
      assert.equal((await push('POST', disconnected)).status, 201)
      const rejected = newRecord(4)
      for (let attempt = 0; attempt < 5; attempt += 1) {
        assert.equal((await push('POST', rejected)).status, 422)
      }
    },
  },
]

for (const [number, { rule, push }] of CASES.entries()) {
  test(`${number + 1}: ${rule} is reported for the pushes`, async () => {
    const { now, advance } = createManualClock()
    const receiver = await startPushCheck(now)
    await push(createSendPush(receiver), advance)
    const checked = await receiver.stop()
    assert.ok(rulesOf(checked).includes(rule), rulesOf(checked).join(', '))
    for (const { message } of checked.findings) assert.doesNotMatch(message, /\{\w+\}/)
    assert.ok(!JSON.stringify(checked).includes(receiver.hubApiKey))
  })
}

/** Sends pushes until the one for N-5 is rejected with 401. */
async function untilUnauthorized(push: SendPush, advance: (ms: number) => void): Promise<void> {
  await begin(push)
  await push('POST', newRecord(2))
  advance(1000)
  for (const number of [2, 3, 3, 4]) await push('POST', newRecord(number))
  advance(OBSERVATION_MS)
  assert.equal((await push('POST', newRecord(5))).status, 401)
}

test('a push that is rejected with 401 must be retried', async () => {
  for (const { retry, finding } of [
    { retry: true, finding: null },
    { retry: false, finding: 'push.not_retried' },
  ]) {
    const { now, advance } = createManualClock()
    const receiver = await startPushCheck(now)
    const push = createSendPush(receiver)
    await untilUnauthorized(push, advance)
    advance(120_000)
    if (retry) assert.equal((await push('POST', newRecord(5))).status, 201)
    const rules = rulesOf(await receiver.stop()).filter((rule) =>
      rule.startsWith('push.not_retried'),
    )
    assert.deepEqual(rules, finding ? [finding] : [])
  }
})

test('retries of a push after a 401 with the delays of the guide are not a storm', async () => {
  const { now, advance } = createManualClock()
  const receiver = await startPushCheck(now)
  const push = createSendPush(receiver)
  await untilUnauthorized(push, advance)
  // The observation time of this check is a tenth of the real one.
  for (const seconds of [1, 2, 4]) {
    advance((seconds * OBSERVATION_MS) / 10)
    assert.equal((await push('POST', newRecord(5))).status, 401)
  }
  const rules = rulesOf(await receiver.stop())
  assert.ok(rules.includes('push.not_seen'), 'the check ended during a delay')
  assert.ok(!rules.includes('push.storm') && !rules.includes('push.not_retried'))
})

test('the table of invalid pushes covers every rule about pushes', () => {
  const covered = new Set(CASES.map(({ rule }) => rule))
  const rules = Object.keys(RULES).filter((rule) => rule.startsWith('push.'))
  assert.deepEqual(
    rules.filter((rule) => !covered.has(rule)),
    [],
  )
})

test('a PATCH of a record that the records endpoint lists is valid', async () => {
  const receiver = await startPushCheck()
  await createSendPush(receiver)(
    'PATCH',
    newChange(1, { status: 'x' }, { reference_number: LISTED_REFERENCE }),
  )
  assert.deepEqual(new Set(rulesOf(await receiver.stop())), new Set(['push.not_seen']))
})

test('two pushes of one record with occurred_at may arrive in any order', async () => {
  const receiver = await startPushCheck()
  const push = createSendPush(receiver)
  await begin(push)
  await push('POST', newRecord(2))
  await push('PATCH', newChange(2, { status: 'later' }))
  assert.ok(!rulesOf(await receiver.stop()).includes('push.order'))
})

test('a PATCH of a record whose POST returned an injected 503 is not reported as unknown', async () => {
  const { now, advance } = createManualClock()
  const receiver = await startPushCheck(now)
  const push = createSendPush(receiver)
  await begin(push)
  assert.equal((await push('POST', newRecord(2))).status, 503)
  await push('PATCH', newChange(2, { status: 'later' }))
  advance(1000)
  await push('PATCH', newChange(2, { status: 'later' }))
  assert.ok(!rulesOf(await receiver.stop()).includes('push.reference_unknown'))
})
