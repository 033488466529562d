/**
 * Invalid responses to a pull: only that task fails, the records before the error are stored, and the activity and
 * the platform show the error. Other faults of platforms are in `pull-faulty-platforms.test.ts`.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PullTask } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent } from '../helpers/hub/response.ts'
import {
  type Responder,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { rounds } from '../helpers/time/tier.ts'

const json = 'application/json'
const one = JSON.stringify(simulatedRecord(1))
const two = JSON.stringify(simulatedRecord(2))

/** The endpoint's behaviour, the expected error of the task, and the number of stored records. */
const FAULTS: readonly (readonly [string, Responder, RegExp, number])[] = [
  [
    '"success": false with a message',
    respond.json({ success: false, message: 'Ledger closed.', records: [simulatedRecord(1)] }),
    /Ledger closed/,
    0,
  ],
  [
    'a platform_name with U+0000 and a lone surrogate',
    respond.json({ success: true, platform_name: 'ot\0her\ud800', records: [simulatedRecord(1)] }),
    /calls itself "ot.*her/,
    0,
  ],
  [
    'a message that contains the key',
    (response, request) => {
      const message = `The key ${request.headers['x-platform-api-key']} is too old.`
      respond.json({ success: false, message })(response, request)
    },
    /The key \[key removed\] is too old/,
    0,
  ],
  [
    'a redirect that contains the key',
    (response, request) =>
      respond.redirect(`/sign-in?key=${request.headers['x-platform-api-key']}`)(response, request),
    /redirect to \/sign-in\?key=\[key removed/,
    0,
  ],
  [
    'a connection cut within a record',
    respond.truncated(`{"records":[${one},${two.slice(0, 20)}`),
    /cut off/,
    1,
  ],
  [
    'invalid JSON after two records',
    respond.text(`{"records":[${one},${two},oops]}`, json),
    /JSON/,
    2,
  ],
  ['HTTP 500', respond.status(500), /HTTP 500/, 0],
  ['an object as "records"', respond.json({ success: true, records: {} }), /records/, 0],
  ['null as "records"', respond.json({ success: true, records: null }), /records/, 0],
  [
    'a platform_name of 900,000 characters',
    respond.json({ platform_name: 'x'.repeat(900_000), records: [simulatedRecord(1)] }),
    /calls itself "xxx/,
    0,
  ],
  [
    'a message with U+0000 and a lone surrogate',
    respond.json({ success: false, message: 'Closed\0\ud800' }),
    /Closed/,
    0,
  ],
  [
    'a connection cut after two records',
    respond.truncated(`{"records":[${one},${two},`),
    /cut off/,
    2,
  ],
]

const WARNINGS: readonly (readonly [string, Responder, RegExp])[] = [
  [
    'a total above the number of records',
    respond.records([simulatedRecord(1)], { total: 5 }),
    /5.*1/,
  ],
  [
    'a total below the number of records',
    respond.records([simulatedRecord(1)], { total: 0 }),
    /0.*1/,
  ],
  ['a total that is a string', respond.records([simulatedRecord(1)], { total: '5' }), /5.*1/],
  [
    'JSON sent as text/plain',
    respond.records([simulatedRecord(1)], { type: 'text/plain' }),
    /text\/plain/,
  ],
]

/** Pulls a platform whose module `cases` has the given behaviour and whose module `people` is valid. */
async function pullWith(hub: TestHub, behaviour: Responder) {
  const people = simulatedModule('people', { records: [simulatedRecord(9)] })
  const platform = await simulatePlatform({ modules: [simulatedModule('cases'), people] })
  const { id } = await hub.register(platform)
  platform.setResponse('records/cases', behaviour)
  const { pull, tasks } = await hub.pullAll()
  const records = await hub.records(platform.platform_name)
  const read = await hub.get(`/api/v1/platforms/${id}`)
  await hub.callAs('operator', 'PATCH', `/api/v1/platforms/${id}`, { status: 'inactive' })
  await platform[Symbol.asyncDispose]()
  return {
    pull,
    platform,
    shown: read.text,
    cases: taskOf(tasks, platform, 'cases'),
    people: taskOf(tasks, platform, 'people'),
    stored: records.filter((record) => record.record_type === 'cases'),
  }
}

function taskOf(tasks: PullTask[], { platform_name }: SimulatedPlatform, type: string): PullTask {
  const task = tasks.find((it) => it.platform_name === platform_name && it.record_type === type)
  assert.ok(task)
  return task
}

describeHub('invalid responses to a pull', (hub) => {
  // `pull-faulty-platforms.test.ts` has all kinds of invalid responses in one pull.
  for (const [what, behaviour, error, count] of FAULTS.slice(0, rounds(6, FAULTS.length))) {
    test(`${what} fails only that task, and ${count} records are stored`, async () => {
      const { pull, cases, people, stored, platform, shown } = await pullWith(hub, behaviour)
      assert.equal(cases.state, 'failed')
      assert.equal(people.state, 'succeeded')
      assert.equal(pull.state, 'partial')
      assert.equal(stored.length, count)
      assert.equal(cases.created, count)
      assert.match(cases.error ?? '', error)
      assert.ok((cases.error ?? '').length < 1000)
      expectAbsent([platform.source_api_key], [JSON.stringify(cases), shown, hub.log()])
      const entry = (await hub.activity()).find(
        (entry) =>
          entry.platform_name === platform.platform_name && entry.kind === 'pull_task.failed',
      )
      assert.equal(entry?.level, 'error')
      assert.ok(cases.error !== null && entry?.message.includes(cases.error))
    })
  }

  for (const [what, behaviour, warning] of WARNINGS) {
    test(`${what} adds a warning, and the task succeeds`, async () => {
      const { cases, stored, pull } = await pullWith(hub, behaviour)
      assert.deepEqual([cases.state, pull.state], ['succeeded', 'succeeded'])
      assert.equal(cases.warnings.length, 1)
      assert.match(cases.warnings[0] ?? '', warning)
      assert.equal(stored.length, 1)
    })
  }

  test('last_error is the last error until a pull succeeds', async () => {
    await using platform = await simulatePlatform()
    const { id } = await hub.register(platform)
    platform.setResponse('records/cases', respond.status(500))
    await hub.pullAll()
    assert.match((await hub.get(`/api/v1/platforms/${id}`)).text, /"last_error":"[^"]*500/)
    platform.setResponse('records/cases', null)
    await hub.pullAll()
    const { text } = await hub.get(`/api/v1/platforms/${id}`)
    assert.match(text, /"last_error":null/)
    assert.doesNotMatch(text, /"latest_sync_at":null/)
  })

  test('last_error is the error of the module that failed most recently, until all succeed', async () => {
    const modules = ['a', 'b', 'c'].map((type) => simulatedModule(type))
    await using platform = await simulatePlatform({ modules })
    const { id } = await hub.register(platform, { record_types: ['a', 'b', 'c'] })
    const lastError = async () => {
      await hub.pullAll()
      const { text } = await hub.get(`/api/v1/platforms/${id}`)
      return /"last_error":"[^"]*HTTP (\d+)/.exec(text)?.[1] ?? null
    }
    // The first pull reads the modules in this order; later pulls start with those that failed.
    platform.setResponse('records/a', respond.status(500))
    platform.setResponse('records/b', respond.status(404))
    assert.equal(await lastError(), '404')
    platform.setResponse('records/b', null)
    assert.equal(await lastError(), '500')
    platform.setResponse('records/a', null)
    assert.equal(await lastError(), null)
  })
})
