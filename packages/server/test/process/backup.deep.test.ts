/** `recordhub backup` and `recordhub restore`, next to hubs that are in use. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { assertAtomicWrites, ENGINES, sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { pushOnce } from '../helpers/process/push.ts'
import { isAcknowledged, registerPusher, startPushing } from '../helpers/process/push-loop.ts'
import { type Sandbox, test } from '../helpers/process/sandbox.ts'
import { FILE, readAll, restore, runBackup } from './backup.ts'

test('a restore that cannot succeed says why and changes nothing', async (t) => {
  const { sandbox } = await sqlite.createSandbox(t)
  const hub = await sandbox.startHub()
  const { hubApiKey } = await registerPusher(t, hub)
  await runBackup(sandbox)
  await runBackup(sandbox, 'secret.recordhub-backup', {
    RECORDHUB_BACKUP_PASSPHRASE: 'correct horse battery',
  })
  const push = { method: 'POST', record_type: 'case', reference_number: 'later', data: {} } as const
  await pushOnce({ address: hub.address, hubApiKey }, push)
  const path = (name: string) => join(sandbox.folder, name)
  const whole = readFileSync(path(FILE))
  writeFileSync(path('cut'), whole.subarray(0, whole.length - 1000))
  writeFileSync(path('text'), 'This is not a backup.')
  const header = JSON.parse(whole.subarray(0, whole.indexOf(10)).toString())
  writeFileSync(path('newer'), `${JSON.stringify({ ...header, format: 2 })}\n`)
  header.info.engine = 'postgres'
  writeFileSync(path('postgres'), `${JSON.stringify(header)}\n`)
  header.info.engine = 'sqlite'
  header.info.migrations.push('9999-future')
  writeFileSync(path('schema'), `${JSON.stringify(header)}\n`)

  const running = await sandbox.run(['restore', FILE, '--force'])
  assert.match(running.stderr.join(), /A hub is running on /)
  await hub.stop()
  const database = readFileSync(path('data/recordhub.sqlite'))
  const cases: [args: string[], env: Record<string, string>, message: RegExp][] = [
    [[FILE], {}, /There is already data in .* Pass --force/],
    [['cut', '--force'], {}, /The backup is damaged: it is incomplete/],
    [['text', '--force'], {}, /not a backup of Recordhub/],
    [['newer', '--force'], {}, /A newer version of Recordhub wrote this backup/],
    [['schema', '--force'], {}, /its schema has 9999-future/],
    [['postgres', '--force'], {}, /of a database on PostgreSQL, but this hub uses SQLite/],
    [['absent', '--force'], {}, /cannot be used as a backup: ENOENT/],
    [
      [FILE, '--force'],
      { HUB_SECRET: 'another secret of 32 characters or more' },
      /need the hub secret with the fingerprint [0-9a-f-]{19}, but the hub has [0-9a-f-]{19}/,
    ],
    [[FILE], { HUB_DATA_DIR: './empty' }, /but no secret is set/],
    [
      ['secret.recordhub-backup', '--force'],
      { RECORDHUB_BACKUP_PASSPHRASE: 'incorrect horse battery' },
      /The passphrase of the backup is wrong/,
    ],
    [[], {}, /name one file/],
  ]
  for (const [args, env, message] of cases) {
    const ended = await sandbox.run(['restore', ...args], { env })
    assert.notEqual(ended.code, 0, args.join(' '))
    assert.match(ended.stderr.join('\n'), message)
  }
  assert.deepEqual(readFileSync(path('data/recordhub.sqlite')), database)
  assert.deepEqual(
    readdirSync(path('data')).filter((name) => /partial|before/.test(name)),
    [],
  )

  const checked = await sandbox.run(['restore', FILE, '--check-only'])
  assert.match(checked.stdout.join('\n'), /3 records.*\n.*fingerprint [0-9a-f-]{19}.*\n.*undamaged/)
  const restored = await sandbox.run(['restore', 'secret.recordhub-backup', '--force'], {
    input: 'correct horse battery\n',
  })
  assert.equal(restored.code, 0, restored.stderr.join('\n'))
  assert.equal((await (await signIn((await sandbox.startHub()).address)).records()).length, 3)
})

test('a backup restores into an empty folder with the secret of the hub', async (t) => {
  const { sandbox } = await sqlite.createSandbox(t)
  const hub = await sandbox.startHub()
  const { operator } = await registerPusher(t, hub)
  await runBackup(sandbox)
  const expected = await readAll(operator)
  const folder = join(sandbox.folder, 'other')
  assert.ok(!readFileSync(join(sandbox.folder, FILE)).includes(readSecret(sandbox)))
  await sandbox.run(['restore', FILE], { env: { HUB_DATA_DIR: './other' } })
  assert.ok(!existsSync(join(folder, 'recordhub.sqlite')))
  const env = { HUB_DATA_DIR: './other', HUB_SECRET: readSecret(sandbox) }
  const restored = await sandbox.run(['restore', FILE], { env })
  assert.equal(restored.code, 0, restored.stderr.join('\n'))
  const other = await sandbox.startHub({ env })
  assert.deepEqual(await readAll(await signIn(other.address)), expected)
})

function readSecret({ folder }: Sandbox): string {
  return readFileSync(join(folder, 'data', 'recordhub.secret'), 'utf8').trim()
}

for (const engine of ENGINES) {
  test(`a record that was erased after the backup stays erased (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const hub = await sandbox.startHub()
    const { operator, hubApiKey } = await registerPusher(t, hub)
    const push = (reference_number: string, record_type = 'case') =>
      pushOnce(
        { address: hub.address, hubApiKey },
        { method: 'POST', record_type, reference_number, data: { note: 'Unmistakable' } },
      )
    await push('person-4711')
    // Names a record that the backup does not contain.
    await push('person-4712', 'unknown')
    await runBackup(sandbox)
    await push('person-4712')
    for (const { record_id, reference_number } of await operator.records()) {
      if (!reference_number.startsWith('person')) continue
      const path = `/api/v1/records/${record_id}/erase`
      const { status } = await operator.call('POST', path, { mode: 'erase' })
      assert.equal(status, 200)
    }
    await hub.stop()

    assert.match(await restore(kit, FILE), /1 records, 1 further tombstones/)
    const restored = await sandbox.startHub()
    const later = await signIn(restored.address)
    assert.equal((await later.records()).length, 3)
    assert.equal((await later.findRecords('q=Unmistakable')).length, 0)
    for (const reference of ['person-4711', 'person-4712']) {
      const pushed = {
        method: 'POST',
        record_type: 'case',
        reference_number: reference,
        data: {},
      } as const
      const response = await pushOnce({ address: restored.address, hubApiKey }, pushed)
      assert.equal(response.kind === 'response' && response.status, 410)
    }
    await restored.stop()
    if (engine !== sqlite) return
    const traces = readdirSync(join(sandbox.folder, 'data')).filter((file) => {
      const bytes = readFileSync(join(sandbox.folder, 'data', file))
      return bytes.includes('person-471') || bytes.includes('Unmistakable')
    })
    assert.deepEqual(traces, [])
  })
}

test('sessions that existed when the backup was made have ended after a restore', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  const operator = await signIn(hub.address)
  await runBackup(kit.sandbox)
  await hub.stop()
  await restore(kit, FILE)
  const restored = await kit.sandbox.startHub()
  const { status } = await operator.at(restored.address).call('GET', '/api/v1/records')
  assert.equal(status, 401)
})

test('a damaged database is kept with its log, and replaced', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const { sandbox } = kit
  const hub = await sandbox.startHub()
  const { operator } = await registerPusher(t, hub)
  await runBackup(sandbox)
  const expected = await operator.records()
  await hub.stop()
  const path = join(sandbox.folder, 'data', 'recordhub.sqlite')
  writeFileSync(path, 'damaged '.repeat(1024))
  writeFileSync(`${path}-wal`, 'damaged log')
  assert.match(await restore(kit, FILE), /could not be read from the replaced data/)
  const kept = readdirSync(join(sandbox.folder, 'data')).filter((name) => /before/.test(name))
  assert.equal(kept.length, 2)
  const restored = await sandbox.startHub()
  assert.deepEqual(await (await signIn(restored.address)).records(), expected)
})

for (const engine of ENGINES) {
  test(`a backup during pushes contains all earlier acknowledged pushes, and restores an equal hub (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const hub = await sandbox.startHub()
    const { operator, hubApiKey, ledger } = await registerPusher(t, hub)
    const work = { name: 'load', hubApiKey, connections: 8 }
    const pushing = startPushing(t, [hub], ledger, work)
    await pushing.untilAttempts(200, isAcknowledged)
    const before = pushing.attempts.filter(isAcknowledged).map(({ push }) => push)
    await runBackup(sandbox)
    await pushing.untilAttempts(50, isAcknowledged)
    await pushing.finish()
    const all = new Map((await operator.records()).map((one) => [one.reference_number, one]))
    await runBackup(sandbox, 'two.recordhub-backup')
    const expected = await readAll(operator)
    await hub.stop()

    await restore(kit, FILE)
    const restored = await sandbox.startHub()
    const records = new Map(
      (await (await signIn(restored.address)).records()).map((one) => [one.reference_number, one]),
    )
    for (const { method, reference_number, data } of before) {
      const record = records.get(reference_number)
      assert.ok(record, `${reference_number} is missing`)
      if (method === 'POST') assert.deepEqual(record, all.get(reference_number))
      else for (const [key, value] of Object.entries(data)) assert.equal(record.data[key], value)
    }
    await assertAtomicWrites(kit.queryDatabase)
    const next = {
      method: 'POST',
      record_type: 'case',
      reference_number: 'next',
      data: {},
    } as const
    const response = await pushOnce({ address: restored.address, hubApiKey }, next)
    assert.equal(response.kind === 'response' && response.status, 201)
    await restored.stop()

    await restore(kit, 'two.recordhub-backup')
    const equal = await sandbox.startHub()
    assert.deepEqual(await readAll(await signIn(equal.address)), expected)
  })
}
