/** Manifest changes, records that do not match the manifest, and the completeness of modules. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  type ModuleCompleteness,
  type ModuleDrift,
  type Platform,
  ReplayResponse,
} from '@recordhub/protocol'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestHub } from '../helpers/hub/hub.ts'
import { newRecord } from '../helpers/hub/platform-requests.ts'
import { addPulledPlatform, type PulledHub, startPulledHub } from '../helpers/hub/pulled-hub.ts'
import {
  expectBody,
  expectError,
  expectMembers,
  type TestResponse,
} from '../helpers/hub/response.ts'
import { respond, simulatedModule, simulatedRecord } from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { untilTrue } from '../helpers/time/until.ts'

const FIELD = { key: 'note', label: 'Note', type: 'string', required: false }

describeHub('manifest changes', (hub, engine) => {
  test('a manual refresh reports the changes of a manifest once', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    module.fields = [...module.fields.slice(1), FIELD]
    kit.platform.modules.push(simulatedModule('visits'))
    const { platform, changes } = await refresh(kit)
    assert.deepEqual(
      changes.map((one) => one.change),
      ['field_removed', 'field_added', 'module_added'],
    )
    const [cases, visits] = platform.modules
    assert.deepEqual(
      cases?.fields.map((field) => field.key),
      ['status', 'created_at', 'updated_at', 'note'],
    )
    assert.ok(cases.fields.at(-1)?.added_at)
    assert.deepEqual(
      cases.removed_fields.map((field) => field.key),
      ['reference_number'],
    )
    assert.deepEqual([visits?.registered, visits?.record_type], [false, 'visits'])
    const drift = await driftOf(kit)
    assert.deepEqual(only(drift.manifest_changes).changes, changes)
    assert.equal(drift.manifest_fetched_at, platform.manifest_fetched_at)
    const entry = (await kit.hub.activity()).find((one) => one.kind === 'manifest.changed')
    assert.match(entry?.message ?? '', /1 field removed, 1 field added, 1 module added/)
    assert.equal(entry?.actor, 'token 2 (test operator)')

    const before = await kit.hub.countStoredRows()
    assert.deepEqual((await refresh(kit)).changes, [])
    assert.deepEqual(await kit.hub.countStoredRows(), before)
  })

  // SQLite stores no views.
  if (engine.name === 'PostgreSQL') {
    test('the SQL view of a module gains a column for a new field', async () => {
      await using kit = await addPulledPlatform(hub)
      only(kit.platform.modules).fields.push(FIELD)
      await refresh(kit)
      const columns = `SELECT 1 FROM information_schema.columns
        WHERE table_schema = 'recordhub_views' AND column_name = 'note'`
      const hasColumn = async () => (await kit.hub.sql(columns)).length > 0
      await untilTrue('the view has a column for the new field', hasColumn)
    })
  }

  test('an invalid manifest is rejected with its cause and changes nothing', async () => {
    await using kit = await addPulledPlatform(hub)
    const read = async () => (await kit.hub.get(`/api/v1/platforms/${kit.registered.id}`)).text
    const before = await read()
    kit.platform.setResponse('manifest', respond.status(500))
    expectError(await sendRefresh(kit.hub, kit.registered.id), 502, 'platform_failed')
    kit.platform.setResponse('manifest', respond.json({ success: true }))
    expectError(await sendRefresh(kit.hub, kit.registered.id), 502, 'platform_response_invalid')
    const other = { platform_title: 'T', platform_description: '', modules: [] }
    const manifest = { success: true, platform_name: 'another platform', ...other }
    kit.platform.setResponse('manifest', respond.json(manifest))
    expectError(await sendRefresh(kit.hub, kit.registered.id), 409, 'platform_name_differs')
    assert.equal(await read(), before)
    expectError(await sendRefresh(kit.hub, 999_999), 404, 'not_found')
    expectError(await kit.hub.get('/api/v1/platforms/999999/drift'), 404, 'not_found')
    expectError(await sendRefresh(kit.hub, kit.registered.id, 'viewer'), 403, 'forbidden')
  })

  test('pulls fetch the manifest once an hour, and succeed even if that fails', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    const manifestRequests = () => kit.platform.requests.filter(isManifest).length
    const initially = manifestRequests()
    await kit.pull()
    assert.equal(manifestRequests(), initially)

    await makeManifestDue(kit.hub)
    module.fields.push(FIELD)
    assert.equal((await kit.pull()).pull.state, 'succeeded')
    assert.equal(manifestRequests(), initially + 1)
    assert.equal(only((await driftOf(kit)).manifest_changes).changes.length, 1)
    await kit.pull()
    assert.equal(manifestRequests(), initially + 1)

    await makeManifestDue(kit.hub)
    kit.platform.setResponse('manifest', respond.html())
    assert.equal((await kit.pull()).pull.state, 'succeeded')
    await kit.pull()
    assert.equal(manifestRequests(), initially + 2)
    const entries = (await kit.hub.activity()).filter((one) => one.kind === 'manifest.failed')
    assert.match(only(entries).message, /could not be refreshed: .*an HTML page/)

    await makeManifestDue(kit.hub)
    kit.platform.setResponse('records/cases', respond.status(500))
    await kit.pull()
    assert.equal(manifestRequests(), initially + 2, 'a failing platform gets no further requests')
  })
})

describeHub('records not matching the manifest', (hub) => {
  test('a push that does not match the manifest is accepted with warnings, and wrong types are listed', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    module.fields.push({ ...FIELD, required: true }, { ...FIELD, key: 'age', type: 'integer' })
    await refresh(kit)
    const send = async (data: object, method: 'POST' | 'PATCH') => {
      const response = await kit.hub.push(
        kit.registered.hub_api_key,
        newRecord('R-1', { data }),
        method,
      )
      const { outcome, warnings } = JSON.parse(response.text)
      return [response.status, outcome, warnings]
    }
    const wrong = { status: 7, age: 'forty', odd: 1 }
    const expectedWarnings = [
      'data has the key "odd", which the manifest does not name',
      'data has a number for the key "status", whose type in the manifest is "string"',
      'data has a text for the key "age", whose type in the manifest is "integer"',
    ]
    const absent = 'data lacks the key "note", which the manifest requires'
    const [unknown = '', ...types] = expectedWarnings
    assert.deepEqual(await send(wrong, 'POST'), [201, 'created', [unknown, absent, ...types]])
    // The warnings also apply to unchanged data.
    assert.deepEqual(await send(wrong, 'PATCH'), [200, 'unchanged', expectedWarnings])
    assert.deepEqual(await send({ note: null, age: '40' }, 'POST'), [200, 'updated', undefined])
    module.records = [simulatedRecord(1, { note: 1, age: 41 })]
    await kit.pull()
    const { wrong_type } = await moduleDriftOf(kit)
    assert.deepEqual(
      wrong_type.map((one) => [one.key, one.count]),
      [
        ['age', 1],
        ['note', 1],
        ['status', 1],
      ],
    )
    await setPolicy(kit, 'reject')
    const rejected = await kit.hub.push(
      kit.registered.hub_api_key,
      newRecord('R-2', { data: { note: 5 } }),
    )
    expectError(rejected, 422, 'drift_rejected')
  })

  test('under the policy reject a push is rejected, and its replay succeeds under accept', async () => {
    await using kit = await addPulledPlatform(hub)
    await setPolicy(kit, 'reject')
    const body = newRecord('R-1', { data: { odd: 1 } })
    const rejected = await kit.hub.push(kit.registered.hub_api_key, body)
    const error = expectError(rejected, 422, 'drift_rejected')
    assert.deepEqual(error.errors, {
      data: ['has the key "odd", which the manifest does not name'],
    })
    const { id, code } = only(await kit.rejected())
    assert.equal(code, 'drift_rejected')
    expectError(await replay(kit.hub, id), 422, 'drift_rejected')
    const good = newRecord('R-2')
    assert.equal((await kit.hub.push(kit.registered.hub_api_key, good)).status, 201)
    await setPolicy(kit, 'accept')
    const replayed = expectBody(await replay(kit.hub, id), 200, ReplayResponse)
    assert.equal(replayed.replay.outcome, 'created')
    assert.equal(only((await moduleDriftOf(kit)).unknown).count, 1)
  })

  test('under the policy reject a pulled record is rejected, and the stored one stays unmarked', async () => {
    await using kit = await addPulledPlatform(hub)
    const module = only(kit.platform.modules)
    module.records = [simulatedRecord(1), simulatedRecord(2)]
    await kit.pull()
    const before = await kit.records()
    await setPolicy(kit, 'reject')
    module.records = [simulatedRecord(1), simulatedRecord(2, { status: 'closed', odd: 1 })]
    const { rejected, missing, unchanged } = await kit.pull()
    assert.deepEqual([rejected, missing, unchanged], [1, 0, 1])
    assert.deepEqual(await kit.records(), before)
    assert.equal((await kit.pull()).missing, 0)
    const { id, count } = only(await kit.rejected())
    assert.equal(count, 2)
    const corrected = simulatedRecord(2, { status: 'closed' })
    assert.equal((await replay(kit.hub, id, { body: corrected })).status, 200)
    const records = await kit.hub.records(kit.platform.platform_name)
    assert.deepEqual(records[1]?.data, { status: 'closed' })
  })

  test('setting the policy requires an operator and an existing module, and is audited', async () => {
    await using kit = await addPulledPlatform(hub)
    expectError(await sendPolicy(kit, { drift_policy: 'reject' }, 'viewer'), 403, 'forbidden')
    for (const wrong of [{ drift_policy: 'maybe' }, {}, { drift_policy: 'accept', more: 1 }]) {
      expectError(await sendPolicy(kit, wrong), 400, 'invalid_request')
    }
    const unknown = await sendPolicy(kit, { drift_policy: 'accept' }, 'operator', 'nothing')
    expectError(unknown, 404, 'not_found')
    const platform = await setPolicy(kit, 'reject')
    assert.equal(only(platform.modules).drift_policy, 'reject')
    const audit = await kit.hub.sql(
      `SELECT actor FROM audit WHERE action = 'module.drift_policy' AND target = '${kit.platform.platform_name}'`,
    )
    assert.equal(only(audit)['actor'], 'token 2 (test operator)')
  })
})

describeHub('completeness of a module', (hub, engine) => {
  test('a full pull whose total, count and content agree verifies a module; differences are reported', async () => {
    await using kit = await startPulledHub(engine, { env: { HUB_MISSING_GRACE_SECONDS: '0' } })
    const module = only(kit.platform.modules)
    assert.equal((await completenessOf(kit)).complete_at, null)
    module.records = Array.from({ length: 30 }, (_, n) => simulatedRecord(n))
    const { pull } = await kit.pull()
    const verified = await completenessOf(kit)
    expectMembers(verified, [
      ...['module_id', 'platform_name', 'module_name', 'record_type'],
      ...['complete_at', 'confirmed_at', 'confirmed_by'],
      ...[
        'last_read_at',
        'incomplete_reasons',
        'last_error',
        'last_warning',
        'records',
        'missing',
        'accepted',
        'pushed_since',
        'only_here',
        'listed',
        'held',
        'verified',
        'verified_at',
        'verified_by',
        'digest',
      ],
    ])
    assert.ok((verified.complete_at ?? '') >= (pull.started_at ?? 'z'))
    assert.deepEqual(
      [
        verified.incomplete_reasons,
        verified.records,
        verified.missing,
        verified.pushed_since,
        verified.only_here,
      ],
      [[], 30, 0, 0, 0],
    )

    await kit.hub.push(kit.registered.hub_api_key, newRecord('N-1'))
    const pushed = await completenessOf(kit)
    assert.deepEqual([pushed.pushed_since, pushed.only_here], [1, 1])
    assert.equal(pushed.complete_at, verified.complete_at)

    module.records = [...module.records.slice(1), { reference_number: 'R-0' }]
    await kit.pull()
    const rejected = await completenessOf(kit)
    assert.equal(rejected.complete_at, verified.complete_at)
    assert.deepEqual(rejected.incomplete_reasons, ['rejected'])
    // The platform has the rejected R-0. It does not have N-1, which is marked missing.
    assert.deepEqual([rejected.missing, rejected.only_here], [1, 0])
    assert.equal(rejected.last_error, null, 'the pull succeeded')
    assert.match(rejected.last_warning ?? '', /1 rejected/)

    module.records = module.records.slice(15, 29)
    await kit.pull()
    assert.deepEqual((await completenessOf(kit)).incomplete_reasons, ['missing_undecided'])
    module.records = Array.from({ length: 30 }, (_, n) => simulatedRecord(n))
    await kit.pull()
    const again = await completenessOf(kit)
    assert.ok((again.complete_at ?? '') > (verified.complete_at ?? ''))
    assert.deepEqual([again.incomplete_reasons, again.missing, again.pushed_since], [[], 1, 0])
  })

  test('pushes between two pulls and during one are newer than a verified copy, which stays verified', async () => {
    await using kit = await addPulledPlatform(hub)
    const push = (reference: string) =>
      kit.hub.push(kit.registered.hub_api_key, newRecord(reference))
    await kit.pull()
    const first = await completenessOf(kit)
    // The list of the platform does not contain it yet.
    await push('N-1')
    const records = only(kit.platform.modules).records
    kit.platform.setResponse('records/cases', (response, request) => {
      const send = () => respond.records(records)(response, request)
      void Promise.all([push('N-2'), push('R-1')]).then(send)
    })
    await kit.pull()
    const { complete_at, incomplete_reasons, pushed_since } = await completenessOf(kit)
    assert.ok((complete_at ?? '') > (first.complete_at ?? 'z'))
    assert.deepEqual([incomplete_reasons, pushed_since], [[], 3])
  })

  test('a pull without a total verifies nothing, and a failed pull changes nothing', async () => {
    await using kit = await addPulledPlatform(hub)
    const { platform_name } = kit.platform
    const records = [simulatedRecord(1)]
    kit.platform.setResponse(
      'records/cases',
      respond.json({ success: true, platform_name, records }),
    )
    await kit.pull()
    const { complete_at, incomplete_reasons } = await completenessOf(kit)
    assert.deepEqual([complete_at, incomplete_reasons], [null, ['no_total']])
    kit.platform.setResponse('records/cases', null)
    await kit.pull()
    const verified = await completenessOf(kit)
    kit.platform.setResponse('records/cases', respond.status(500))
    await kit.pull()
    const { last_error, ...after } = await completenessOf(kit)
    assert.match(last_error ?? '', /HTTP 500/)
    assert.deepEqual({ ...after, last_error: null }, verified)
  })
})

function isManifest({ path }: { path: string }): boolean {
  return path.endsWith('/manifest')
}

/** Makes the next refresh of the manifest due. */
async function makeManifestDue(hub: TestHub): Promise<void> {
  const longAgo = "'2026-01-01T00:00:00.000Z'"
  await hub.sql(
    `UPDATE platforms SET manifest_fetched_at = ${longAgo}, manifest_requested_at = ${longAgo}`,
  )
}

function sendRefresh(
  hub: TestHub,
  id: number,
  role: 'operator' | 'viewer' = 'operator',
): Promise<TestResponse> {
  return hub.callAs(role, 'POST', `/api/v1/platforms/${id}/manifest/refresh`)
}

function refresh({ hub, registered: params }: PulledHub) {
  return hub.call('POST /api/v1/platforms/:id/manifest/refresh', { params, as: 'operator' })
}

function driftOf({ hub, registered: params }: PulledHub) {
  return hub.call('GET /api/v1/platforms/:id/drift', { params })
}

async function moduleDriftOf(kit: PulledHub): Promise<ModuleDrift> {
  return only((await driftOf(kit)).modules)
}

function sendPolicy(
  { hub, registered }: PulledHub,
  body: object,
  role: 'operator' | 'viewer' = 'operator',
  record_type = 'cases',
): Promise<TestResponse> {
  return hub.callAs(
    role,
    'PATCH',
    `/api/v1/platforms/${registered.id}/modules/${record_type}`,
    body,
  )
}

async function setPolicy(kit: PulledHub, drift_policy: 'accept' | 'reject'): Promise<Platform> {
  const params = { id: kit.registered.id, record_type: 'cases' }
  const request = { params, body: { drift_policy }, as: 'operator' } as const
  return (await kit.hub.call('PATCH /api/v1/platforms/:id/modules/:record_type', request)).platform
}

function replay(hub: TestHub, id: number, body: object = {}): Promise<TestResponse> {
  return hub.callAs('operator', 'POST', `/api/v1/rejected-pushes/${id}/replay`, body)
}

async function completenessOf({ hub, platform }: PulledHub): Promise<ModuleCompleteness> {
  const query = { platform: platform.platform_name }
  return only((await hub.call('GET /api/v1/completeness', { query })).modules)
}
