import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { createSecretBox } from '../../../lib/crypto/secret-box.ts'
import { checkPlatforms, type Finding, findStaleLeases, findStuckPull } from './check-database.ts'
import {
  type CheckedSettings,
  checkPermissions,
  checkSecret,
  checkServerSettings,
  checkSettings,
  checkVersions,
  describeClocks,
  fixPermissions,
} from './check-environment.ts'

const NOW = new Date('2026-03-10T08:00:00.000Z')
const severities = (findings: Finding[]) => findings.map(({ severity }) => severity)

test('a lease in the far future is a problem, and one that expired long ago can be deleted', () => {
  const lease = (expires_at: string, name = 'retention') => ({ name, owner: 'a', expires_at })
  const find = (...leases: ReturnType<typeof lease>[]) => findStaleLeases(leases, NOW)
  assert.deepEqual(find(lease('2026-03-10T08:59:00.000Z'), lease('2026-03-10T07:00:00.000Z')), [])
  assert.deepEqual(severities(find(lease('2026-03-12T08:00:00.000Z'))), ['problem'])
  assert.deepEqual(severities(find(lease('2026-03-01T08:00:00.000Z'))), ['info'])
  assert.deepEqual(find(lease('2026-03-01T08:00:00.000Z', 'health check')), [])
})

test('a pull is stuck if its lease has expired or it exceeds its time limit', () => {
  const pull = {
    ...{ pull_id: 1, state: 'running', requested_at: '2026-03-10T07:59:00.000Z' },
    ...{ started_at: '2026-03-10T07:59:01.000Z', lease_until: '2026-03-10T08:00:10.000Z' },
  }
  const find = (change: Partial<typeof pull>) =>
    findStuckPull({ ...pull, ...change }, { now: NOW, pullSeconds: 900 })
  assert.deepEqual(severities(find({})), ['info'])
  const [expired] = find({ lease_until: '2026-03-10T07:59:59.000Z' })
  assert.deepEqual([expired?.severity, expired?.repair], ['problem', 'pull'])
  const [long] = find({ started_at: '2026-03-10T07:00:00.000Z' })
  assert.deepEqual([long?.severity, long?.repair], ['problem', null])
})

test('a clock that differs from the database or was moved back is a problem', () => {
  const describe = (difference: number, lastWritten: string | null) =>
    severities(describeClocks({ difference, databaseTime: NOW, lastWritten }))
  assert.deepEqual(describe(4000, '2026-03-10T08:00:59.000Z'), ['info'])
  assert.deepEqual(describe(-6000, null), ['problem'])
  assert.deepEqual(describe(6000, '2026-03-10T08:02:00.000Z'), ['problem', 'problem'])
})

const SETTINGS: CheckedSettings = {
  ...{
    invalid: [],
    unknown: [],
    invalidStored: [],
    publicUrl: '',
    host: '127.0.0.1',
    trustsProxy: false,
  },
  ...{ hasPreviousSecret: false, secrets: [], counterDays: 400 },
}

test('settings that are invalid or contradict each other are found', () => {
  const check = (change: Partial<CheckedSettings>) =>
    severities(checkSettings({ ...SETTINGS, ...change }))
  assert.deepEqual(check({}), [])
  assert.deepEqual(check({ invalidStored: ['HUB_ALERT_TO: must be …'] }), ['warning'])
  assert.deepEqual(check({ invalid: ['PORT: must be …'], unknown: ['HUB_X'] }), [
    'problem',
    'warning',
  ])
  assert.deepEqual(check({ publicUrl: 'http://hub.example.org' }), ['warning'])
  assert.deepEqual(check({ publicUrl: 'http://localhost:8080' }), [])
  assert.deepEqual(check({ host: '0.0.0.0' }), ['warning'])
  assert.deepEqual(check({ publicUrl: 'https://hub.example.org' }), ['warning'])
  assert.deepEqual(check({ publicUrl: 'https://hub.example.org', trustsProxy: true }), [])
  assert.deepEqual(check({ hasPreviousSecret: true, counterDays: 27 }), ['warning', 'warning'])
})

test('the secret must decrypt the database', () => {
  const [current, previous] = ['a'.repeat(32), 'b'.repeat(32)]
  const key = createSecretBox(current).encrypt('key', 'erased references')
  assert.deepEqual(checkSecret([current, previous], key), [])
  assert.deepEqual(checkSecret([current], null), [])
  assert.deepEqual(severities(checkSecret([], key)), ['problem'])
  assert.match(checkSecret([previous], key)[0]?.message ?? '', /does not decrypt/)
  assert.match(checkSecret([previous, current], key)[0]?.message ?? '', /not completed/)
})

test('settings of PostgreSQL that lose or block writes are found', () => {
  const durable = {
    ...{ fsync: true, full_page_writes: true, synchronous_standby_names: '' },
    ...{ standbys: 0, synchronous_standbys: 0, hidden_connections: 0 },
  }
  const check = (over: Partial<typeof durable>, settings: Record<string, string> = {}) =>
    severities(
      checkServerSettings({
        ...{ engine_version: '17', bytes: 1, log_bytes: null, now: NOW.toISOString() },
        ...{ settings, durability: { ...durable, ...over } },
      }),
    )
  assert.deepEqual(check({}, { synchronous_commit: 'on' }), [])
  assert.deepEqual(check({ fsync: false, full_page_writes: false }), ['problem', 'problem'])
  assert.deepEqual(check({}, { synchronous_commit: 'off' }), ['warning'])
  assert.deepEqual(check({ standbys: 1 }), ['warning'])
  const synchronous = { synchronous_standby_names: 'b', standbys: 1 }
  assert.deepEqual(check(synchronous), ['problem'])
  assert.deepEqual(check({ ...synchronous, synchronous_standbys: 1 }), [])
  // Without the privilege to read the state of the connection, it may be synchronous.
  assert.deepEqual(check({ ...synchronous, standbys: 0, hidden_connections: 1 }), ['warning'])
  assert.deepEqual(check({}, { default_transaction_read_only: 'on' }), ['problem'])
})

test('a version of Node.js that is not supported is a problem', () => {
  const check = (node: string) => severities(checkVersions({ hub: '1.0.0', node }, null))
  for (const node of ['v22.20.0', 'v24.7.0', 'v25.0.0']) assert.deepEqual(check(node), ['info'])
  for (const node of ['v22.19.0', 'v23.11.1', 'v24.6.0']) {
    assert.deepEqual(check(node), ['info', 'problem'])
  }
})

test('files that others may access are found and restricted to their owner', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const create = (name: string, mode: number) => {
    writeFileSync(join(folder, name), '')
    chmodSync(join(folder, name), mode)
  }
  create('recordhub.secret', 0o640)
  create('recordhub.sqlite', 0o640)
  create('recordhub.search.sqlite', 0o666)
  create('notes.txt', 0o666)
  const found = checkPermissions(folder).map(({ message, repair }) => [message, repair])
  assert.deepEqual(found, [
    [
      `Other users of the machine may access ${folder}/recordhub.search.sqlite (mode 666).`,
      'permissions',
    ],
    [`Other users of the machine may access ${folder}/recordhub.secret (mode 640).`, 'permissions'],
  ])
  assert.equal(fixPermissions(folder).length, 2)
  assert.deepEqual(checkPermissions(folder), [])
  assert.equal(statSync(join(folder, 'notes.txt')).mode & 0o777, 0o666)
})

const FAILING = {
  state: 'failing' as const,
  reasons: [{ code: 'pulls_failing' as const, message: 'HTTP 503', since: null }],
}

test('platforms are pinged a few at a time, until the time limit', async () => {
  const secrets = createSecretBox('a'.repeat(32))
  const encrypted_source_key = secrets.encrypt('key', 'source key')
  const sources = Array.from({ length: 30 }, (_, n) => ({
    ...{ platform_id: n, platform_name: `p${n}`, status: 'active' as const },
    ...{ source_base_url: 'https://p.example', encrypted_source_key },
    health: n === 0 ? FAILING : { state: 'healthy' as const, reasons: [] },
  }))
  const limit = new AbortController()
  let [calls, concurrent, highest] = [0, 0, 0]
  const client = {
    ping: async () => {
      calls += 1
      if (calls === 20) limit.abort()
      concurrent += 1
      highest = Math.max(highest, concurrent)
      await new Promise((resolve) => setImmediate(resolve))
      concurrent -= 1
      return { success: true as const, message: 'ok', platform_name: 'p' }
    },
  }
  const deps = { client, secrets, signal: limit.signal }
  const findings = await checkPlatforms(sources, deps)
  assert.ok(highest > 1 && highest <= 8, String(highest))
  assert.deepEqual(severities(findings), ['info', 'warning', 'warning'])
  assert.equal(findings[1]?.message, 'p0 is failing: HTTP 503')
  assert.ok(calls < 30)
})
