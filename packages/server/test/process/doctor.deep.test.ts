/** `recordhub doctor` beside a running hub, after its end, and on damaged files. */
import assert from 'node:assert/strict'
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sqlite } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'
import { runDoctor } from './doctor.ts'

test('without a database, the other checks run and the exit code is 2', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const { code, report } = await runDoctor(kit)
  assert.equal(code, 2)
  assert.match(report.error ?? '', /There is no database at/)
  const statuses = new Map(report.checks.map(({ name, status }) => [name, status]))
  assert.deepEqual([statuses.get('versions'), statuses.get('schema')], ['ok', 'skipped'])
  const unreachable = await kit.sandbox.run(['doctor'], {
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' },
  })
  assert.equal(unreachable.code, 2)
  assert.match(unreachable.stdout.at(-1) ?? '', /cannot be used/)
  const wrong = await kit.sandbox.run(['doctor', '--timeout', '-1'])
  assert.equal(wrong.code, 2)
})

test('a damaged database is reported and not written', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  await hub.stop()
  const path = join(kit.sandbox.folder, 'data', 'recordhub.sqlite')
  const { size } = statSync(path)
  writeFileSync(path, Buffer.alloc(size - 8192, 0x5a), { flag: 'r+' })
  for (const suffix of ['-wal', '-shm']) rmSync(path + suffix, { force: true })
  const { mtimeMs } = statSync(path)
  const { code, report, bad } = await runDoctor(kit, '--fix')
  assert.equal(code, 1)
  assert.ok(bad.includes('integrity'), JSON.stringify(report))
  assert.deepEqual(report.repairs, [])
  assert.equal(statSync(path).mtimeMs, mtimeMs)
})

test('invalid settings and open permissions are reported', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const hub = await kit.sandbox.startHub()
  await hub.stop()
  const secret = join(kit.sandbox.folder, 'data', 'recordhub.secret')
  chmodSync(secret, 0o644)
  const { code, stdout } = await kit.sandbox.run(['doctor', '--quick', '--fix'], {
    env: { HUB_SESSION_DAYS: 'many', HUB_NONSENSE: '1' },
  })
  assert.equal(code, 1)
  const output = stdout.join('\n')
  assert.match(output, /HUB_SESSION_DAYS: must be a whole number/)
  assert.match(output, /HUB_NONSENSE is not a setting/)
  assert.match(output, /Restricted .*recordhub\.secret to its owner/)
  assert.equal(statSync(secret).mode & 0o777, 0o600)
  const { code: invalid } = await kit.sandbox.run(['doctor'], {
    env: { DATABASE_URL: 'mysql://x' },
  })
  assert.equal(invalid, 2)
})
