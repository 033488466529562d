/** Platforms that answer a pull wrongly: each task fails alone, and what came stays. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { PullTask } from '@recordhub/protocol'
import {
  activityOf,
  pullAll,
  recordsOf,
  registerPlatform,
  shareHub,
} from '../helpers/hub/actions.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent } from '../helpers/hub/response.ts'
import {
  type Behaviour,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { onEachEngineWhenDeep } from '../helpers/storage/engines.ts'

const json = 'application/json'
const one = JSON.stringify(simulatedRecord(1))
const two = JSON.stringify(simulatedRecord(2))

/** What the endpoint does, what the task's error must say, and how many records stay. */
const FAULTS: readonly (readonly [string, Behaviour, RegExp, number])[] = [
  ['500', respond.status(500), /HTTP 500/, 0],
  ['401', respond.status(401), /source API key/, 0],
  ['404', respond.status(404), /HTTP 404/, 0],
  ['an HTML page', respond.html(), /HTML page/, 0],
  ['HTML called JSON', respond.text('<html></html>', json), /as agreed|JSON/, 0],
  ['a redirect', respond.redirect('http://127.0.0.1:9/login'), /redirect/, 0],
  ['nothing', respond.text('', json), /as agreed|JSON/, 0],
  ['a list', respond.text(`[${one}]`, json), /as agreed|JSON/, 0],
  ['no list of records', respond.json({ success: true, total: 0 }), /records/, 0],
  ['records that are no list', respond.json({ success: true, records: {} }), /records/, 0],
  ['records null', respond.json({ success: true, records: null }), /records/, 0],
  [
    'success: false with words',
    respond.json({ success: false, message: 'Ledger closed.', records: [simulatedRecord(1)] }),
    /Ledger closed/,
    0,
  ],
  [
    'another platform_name',
    respond.json({ success: true, platform_name: 'other', records: [simulatedRecord(1)] }),
    /"other"/,
    0,
  ],
  [
    'a platform_name that no database stores as text',
    respond.json({ success: true, platform_name: 'ot\0her\ud800', records: [simulatedRecord(1)] }),
    /calls itself "ot.*her/,
    0,
  ],
  [
    'a platform_name without end',
    respond.json({ platform_name: 'x'.repeat(900_000), records: [simulatedRecord(1)] }),
    /calls itself "xxx/,
    0,
  ],
  [
    'words that no database stores as text',
    respond.json({ success: false, message: 'Closed\0\ud800' }),
    /Closed/,
    0,
  ],
  [
    'words that quote the key',
    (response, request) => {
      const message = `The key ${request.headers['x-platform-api-key']} is too old.`
      respond.json({ success: false, message })(response, request)
    },
    /The key \[key removed\] is too old/,
    0,
  ],
  [
    'a redirect that quotes the key',
    (response, request) =>
      respond.redirect(`/sign-in?key=${request.headers['x-platform-api-key']}`)(response, request),
    /redirect to \/sign-in\?key=\[key removed/,
    0,
  ],
  [
    'another record_type',
    respond.json({ success: true, record_type: 'people', records: [simulatedRecord(1)] }),
    /"people"/,
    0,
  ],
  ['two records, then a cut', respond.cutOff(`{"records":[${one},${two},`), /cut off/, 2],
  ['a cut amid a record', respond.cutOff(`{"records":[${one},${two.slice(0, 20)}`), /cut off/, 1],
  ['a hang-up', respond.nothing(), /cut off/, 0],
  ['two records, then the end', respond.text(`{"records":[${one},${two}`, json), /as agreed/, 2],
  ['two records, then no JSON', respond.text(`{"records":[${one},${two},oops]}`, json), /JSON/, 2],
  ['a record that is no JSON', respond.text(`{"records":[${one},{"a":nope}]}`, json), /JSON/, 1],
  ['rubbish behind the list', respond.text(`{"records":[${one}]}}`, json), /as agreed|JSON/, 1],
  [
    'what is no gzip',
    respond.text(`{"records":[${one}]}`, json, { 'Content-Encoding': 'gzip' }),
    /\w/,
    0,
  ],
]

const WARNINGS: readonly (readonly [string, Behaviour, RegExp])[] = [
  ['a larger total', respond.json({ total: 5, records: [simulatedRecord(1)] }), /5.*1/],
  ['a smaller total', respond.json({ total: 0, records: [simulatedRecord(1)] }), /0.*1/],
  ['a total as text', respond.json({ total: '5', records: [simulatedRecord(1)] }), /5.*1/],
  ['JSON as text/plain', respond.text(`{"records":[${one}]}`, 'text/plain'), /text\/plain/],
]

/** Pulls a platform whose module `cases` misbehaves and whose module `people` does not. */
async function pullWith(hub: TestHub, behaviour: Behaviour) {
  const people = simulatedModule('people', { records: [simulatedRecord(9)] })
  const platform = await simulatePlatform({ modules: [simulatedModule('cases'), people] })
  const { id } = await registerPlatform(hub, platform)
  platform.behave('records/cases', behaviour)
  const { pull, tasks } = await pullAll(hub)
  const records = await recordsOf(hub, platform.platform_name)
  const read = await hub.get(`/api/v1/platforms/${id}`)
  await hub.send({
    method: 'PATCH',
    url: `/api/v1/platforms/${id}`,
    headers: { authorization: hub.authorization('operator') },
    body: { status: 'inactive' },
  })
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

onEachEngineWhenDeep((engine) => {
  describe(`a platform that answers a pull wrongly, on ${engine.name}`, () => {
    const hub = shareHub(engine)

    for (const [what, behaviour, words, kept] of FAULTS) {
      test(`${what}: the task fails alone with its words, and ${kept} records stay`, async () => {
        const { pull, cases, people, stored, platform, shown } = await pullWith(hub(), behaviour)
        assert.equal(cases.state, 'failed')
        assert.equal(people.state, 'succeeded')
        assert.equal(pull.state, 'partial')
        assert.equal(stored.length, kept)
        assert.equal(cases.created, kept)
        assert.match(cases.error ?? '', words)
        assert.ok((cases.error ?? '').length < 1000)
        expectAbsent([platform.source_api_key], [JSON.stringify(cases), shown, hub().log()])
        const told = (await activityOf(hub())).find(
          (line) =>
            line.platform_name === platform.platform_name && line.kind === 'pull_task.failed',
        )
        assert.equal(told?.level, 'error')
        assert.ok(cases.error !== null && told?.message.includes(cases.error))
      })
    }

    for (const [what, behaviour, words] of WARNINGS) {
      test(`${what} is a warning, and the task succeeds`, async () => {
        const { cases, stored, pull } = await pullWith(hub(), behaviour)
        assert.deepEqual([cases.state, pull.state], ['succeeded', 'succeeded'])
        assert.equal(cases.warnings.length, 1)
        assert.match(cases.warnings[0] ?? '', words)
        assert.equal(stored.length, 1)
      })
    }

    test('a platform that is gone fails, another one succeeds', async () => {
      const gone = await simulatePlatform()
      await using there = await simulatePlatform()
      there.modules[0]?.records.push(simulatedRecord(1))
      const { id } = await registerPlatform(hub(), gone)
      await registerPlatform(hub(), there)
      await gone[Symbol.asyncDispose]()
      const { pull, tasks } = await pullAll(hub())
      const failed = taskOf(tasks, gone, 'cases')
      assert.equal(failed.state, 'failed')
      assert.match(failed.error ?? '', /refused/)
      assert.equal(taskOf(tasks, there, 'cases').state, 'succeeded')
      assert.equal(pull.state, 'partial')
      const { text } = await hub().get(`/api/v1/platforms/${id}`)
      assert.match(text, /"last_error":"The platform cannot be reached/)
    })

    test('last_error says the last fault until a pull succeeds', async () => {
      await using platform = await simulatePlatform()
      const { id } = await registerPlatform(hub(), platform)
      platform.behave('records/cases', respond.status(500))
      await pullAll(hub())
      assert.match((await hub().get(`/api/v1/platforms/${id}`)).text, /"last_error":"[^"]*500/)
      platform.behave('records/cases', null)
      await pullAll(hub())
      const { text } = await hub().get(`/api/v1/platforms/${id}`)
      assert.match(text, /"last_error":null/)
      assert.doesNotMatch(text, /"latest_sync_at":null/)
    })

    test('last_error is that of the module that failed last, whichever goes well', async () => {
      const modules = ['a', 'b', 'c'].map((type) => simulatedModule(type))
      await using platform = await simulatePlatform({ modules })
      const { id } = await registerPlatform(hub(), platform, { record_types: ['a', 'b', 'c'] })
      const lastError = async () => {
        await pullAll(hub())
        const { text } = await hub().get(`/api/v1/platforms/${id}`)
        return /"last_error":"[^"]*HTTP (\d+)/.exec(text)?.[1] ?? null
      }
      // Read in this order: none has been read before, and then those first that failed.
      platform.behave('records/a', respond.status(500))
      platform.behave('records/b', respond.status(404))
      assert.equal(await lastError(), '404')
      platform.behave('records/b', null)
      assert.equal(await lastError(), '500')
      platform.behave('records/a', null)
      assert.equal(await lastError(), null)
    })
  })
})
