/** The receiver's responses to accepted pushes (specification 4.1). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PushResponse } from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { newRecord, pushHeaders } from '../helpers/hub/platform-requests.ts'
import { expectAbsent, expectBody, expectMembers, expectObject } from '../helpers/hub/response.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'

const MEMBERS = ['success', 'message', 'method', 'platform_name', 'module_name', 'record_id']

describeHub('an accepted push', (hub) => {
  test('a POST of a new record returns 201 with the members of the specification', async () => {
    const { hub_api_key, platform_name } = await hub.registerPushing()
    const response = await hub.push(hub_api_key, newRecord('N-1'))
    const { outcome, ...rest } = expectBody(response, 201, PushResponse)
    const { record_id } = only(await hub.records(platform_name))
    expectMembers(rest, MEMBERS)
    assert.deepEqual(rest, {
      success: true,
      message: `New record received from Title of ${platform_name}.`,
      method: 'POST',
      platform_name,
      module_name: 'Module cases',
      record_id,
    })
    assert.equal(outcome, 'created')
    expectAbsent([hub_api_key], [response.text])
  })

  test('a POST or PATCH of a known record returns 200, and a PATCH of an unknown one 201', async () => {
    const { post, patch, platform_name } = await hub.registerPushing()
    const { record_id } = expectBody(await post(newRecord('N-1')), 201, PushResponse)
    const unchanged = expectBody(await post(newRecord('N-1')), 200, PushResponse)
    const replaced = newRecord('N-1', { full_name: 'Bea', data: { status: 'closed' } })
    const updated = expectBody(await post(replaced), 200, PushResponse)
    const part = { record_type: 'cases', reference_number: 'N-2', data: { status: 'open' } }
    const created = expectBody(await patch(part), 201, PushResponse)
    const changed = { ...part, reference_number: 'N-1', data: { a: 1 } }
    const merged = expectBody(await patch(changed), 200, PushResponse)
    assert.deepEqual(
      [unchanged, updated, created, merged].map(({ outcome, method, record_id }) => [
        outcome,
        method,
        record_id,
      ]),
      [
        ['unchanged', 'POST', record_id],
        ['updated', 'POST', record_id],
        ['created', 'PATCH', created.record_id],
        ['updated', 'PATCH', record_id],
      ],
    )
    const [first, second] = await hub.records(platform_name)
    assert.deepEqual([first?.full_name, first?.incomplete], ['Bea', false])
    assert.deepEqual(first?.data, { status: 'closed', a: 1 })
    assert.deepEqual([second?.record_id, second?.incomplete], [created.record_id, true])
    const hasWarning = [unchanged, updated, created, merged].map(({ warnings = [] }) =>
      warnings.some((warning) => warning.includes('incomplete')),
    )
    assert.deepEqual(hasWarning, [false, false, true, false])
  })

  test('only record_type selects the module, regardless of module_name', async () => {
    const modules = [simulatedModule('cases'), simulatedModule('people')]
    const { hub_api_key, platform_name } = await hub.registerPushing({ modules })
    const record = newRecord('N-1', { module_name: 'Module cases', record_type: 'people' })
    const response = expectBody(await hub.push(hub_api_key, record), 201, PushResponse)
    assert.equal(response.module_name, 'Module people')
    const warning =
      'module_name differs from the registered one, "Module people". The hub ignores it: record_type identifies the module.'
    assert.ok(response.warnings?.includes(warning), response.warnings?.join())
    assert.equal(only(await hub.records(platform_name)).module_name, 'Module people')
  })

  test('a push can have several warnings', async () => {
    const { hub_api_key } = await hub.registerPushing()
    const record = newRecord('N-1', { module_name: 'B', platform_name: 'c', data: { unknown: 1 } })
    const { warnings = [] } = expectBody(await hub.push(hub_api_key, record), 201, PushResponse)
    const subjects = ['module_name', 'platform_name', 'data has the key "unknown"']
    assert.deepEqual(
      warnings.map((warning, index) => warning.startsWith(subjects[index] ?? warning)),
      [true, true, true],
    )
  })

  test('only the key identifies the platform, regardless of platform_name', async () => {
    const mine = await hub.registerPushing()
    const other = await hub.registerPushing()
    for (const [platform_name, isWarned] of [
      [mine.platform_name, false],
      [null, false],
      [other.platform_name, true],
      // Not in the stored form, so the body is parsed.
      [`${mine.platform_name}/`, true],
      [7, true],
    ] as const) {
      const record = newRecord('N-1', { platform_name })
      const body = JSON.stringify(record).replace('/"', '\\/"')
      const headers = pushHeaders(mine.hub_api_key)
      const { status, text } = await hub.send({
        method: 'POST',
        url: '/api/webhook/receive',
        headers,
        body,
      })
      assert.ok(status < 300, text)
      const response = JSON.parse(text)
      assert.equal(response.platform_name, mine.platform_name)
      const warning = `platform_name differs from that of the hub API key, "${mine.platform_name}". The hub ignores it: the key identifies the platform.`
      assert.deepEqual(response.warnings, isWarned ? [warning] : undefined)
    }
    assert.equal((await hub.records(other.platform_name)).length, 0)
  })

  for (const [what, headers] of [
    ['the tunnel header is missing', { 'ngrok-skip-browser-warning': '' }],
    ['Accept is missing', { accept: '' }],
    ['Accept is text/html', { accept: 'text/html' }],
    ['Content-Type has a charset', { 'content-type': 'application/json; charset=utf-8' }],
    [
      'Content-Type has a charset without a space',
      { 'content-type': 'application/json;charset=UTF-8' },
    ],
    ['Content-Type is in mixed case', { 'content-type': 'Application/JSON' }],
    ['Content-Type is another JSON type', { 'content-type': 'application/vnd.api+json' }],
  ] as const) {
    test(`a push is accepted when ${what}`, async () => {
      const { hub_api_key, platform_name } = await hub.registerPushing()
      const all = Object.entries({ ...pushHeaders(hub_api_key), ...headers })
      const sent = Object.fromEntries(all.filter(([, value]) => value !== ''))
      const response = await hub.send({
        method: 'POST',
        url: '/api/webhook/receive',
        headers: sent,
        body: JSON.stringify(newRecord('N-1')),
      })
      expectBody(response, 201, PushResponse)
      assert.equal((await hub.records(platform_name)).length, 1)
    })
  }

  test('the check returns the name and modules of the platform and stores nothing', async () => {
    const modules = [simulatedModule('cases'), simulatedModule('people')]
    const { hub_api_key, platform_name } = await hub.registerPushing({ modules })
    const before = await hub.countStoredRows()
    const headers = { 'x-api-key': hub_api_key }
    const response = await hub.send({ url: '/api/webhook/check', headers })
    assert.deepEqual(expectObject(response, 200), {
      success: true,
      platform_name,
      modules: [
        { record_type: 'cases', module_name: 'Module cases' },
        { record_type: 'people', module_name: 'Module people' },
      ],
      valid_until: null,
    })
    assert.deepEqual(await hub.countStoredRows(), before)
  })
})
