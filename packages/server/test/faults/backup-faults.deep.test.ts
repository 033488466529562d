/** Backups and restores that are killed, and disks that are full. */
import assert from 'node:assert/strict'
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ENGINES, type EngineSandbox } from '../helpers/process/engine.ts'
import { PUSHED_TYPE } from '../helpers/process/ledger.ts'
import { createPusher } from '../helpers/process/push.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { type Sandbox, test } from '../helpers/process/sandbox.ts'

/** Records whose backup has several chunks. */
async function fillHub(t: Parameters<typeof registerPusher>[0], sandbox: Sandbox) {
  const hub = await sandbox.startHub()
  const { hubApiKey } = await registerPusher(t, hub)
  const pusher = createPusher({ address: hub.address, hubApiKey })
  for (let count = 0; count < 40; count += 1) {
    const note = createHash('sha512').update(String(count)).digest('hex').repeat(200)
    const push = {
      method: 'POST',
      record_type: PUSHED_TYPE,
      reference_number: `r-${count}`,
    } as const
    await pusher.push({ ...push, data: { note } })
  }
  pusher.close()
  return hub
}

const backupsIn = (folder: string) =>
  readdirSync(folder).filter((name) => name.endsWith('.recordhub-backup'))

/** Kills a process when it prints a line that matches. */
function killAt(child: ChildProcess, pattern: RegExp): void {
  if (!child.stderr) throw new Error('The process has no standard error')
  createInterface({ input: child.stderr }).on('line', (line) => {
    if (pattern.test(line)) child.kill('SIGKILL')
  })
}

const COUNT = 'SELECT count(*) AS n FROM records'
const countRecords = async ({ queryDatabase }: EngineSandbox) =>
  Number((await queryDatabase(COUNT))[0]?.['n'])

for (const engine of ENGINES) {
  test(`a killed backup leaves no backup, and a killed restore leaves the old data or the restored data (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const { folder } = sandbox
    const hub = await fillHub(t, sandbox)
    for (const phase of [/^Checking/, /^Writing/, /^Verifying/]) {
      const command = sandbox.spawn(['backup', '--out', 'killed.recordhub-backup'])
      killAt(command.child, phase)
      const { signal } = await command.ended
      // A fast backup may be complete before the signal arrives.
      if (signal === 'SIGKILL' && !backupsIn(folder).length) continue
      const checked = await sandbox.run(['restore', 'killed.recordhub-backup', '--check-only'])
      assert.equal(checked.code, 0, checked.stderr.join('\n'))
      break
    }
    const written = await sandbox.run(['backup', '--out', 'whole.recordhub-backup'])
    assert.equal(written.code, 0, written.stderr.join('\n'))
    await hub.stop()
    const before = await countRecords(kit)
    for (const phase of [/^Unpacking/, /^Checking/]) {
      const command = sandbox.spawn(['restore', 'whole.recordhub-backup', '--force'])
      killAt(command.child, phase)
      await command.ended
      assert.equal(await countRecords(kit), before)
    }
    const restored = await sandbox.run(['restore', 'whole.recordhub-backup', '--force'])
    assert.equal(restored.code, 0, restored.stderr.join('\n'))
    assert.equal(await countRecords(kit), before)
    await sandbox.startHub()
  })
}

test('a full disk leaves neither a backup nor a changed database', async (t, sandbox) => {
  const hub = await fillHub(t, sandbox)
  // In kilobytes: too small for the copy of the database.
  for (const limit of [16, 512]) {
    const file = 'full.recordhub-backup'
    const failed = await sandbox.run(['backup', '--out', file], { shell: `ulimit -f ${limit}` })
    assert.equal(failed.code, 1, failed.stdout.join('\n'))
    assert.match(failed.stderr.join('\n'), /The backup failed: .*No backup was written/)
    assert.deepEqual(readdirSync(sandbox.folder), ['data'])
  }
  const backup = await sandbox.run(['backup', '--out', 'whole.recordhub-backup'])
  assert.equal(backup.code, 0)
  await hub.stop()
  const data = join(sandbox.folder, 'data')
  const before = readdirSync(data)
  const database = readFileSync(join(data, 'recordhub.sqlite'))
  const args = ['restore', 'whole.recordhub-backup', '--force']
  const failed = await sandbox.run(args, { shell: 'ulimit -f 512' })
  assert.equal(failed.code, 1)
  assert.match(failed.stderr.join('\n'), /The restore failed|The backup is damaged/)
  assert.deepEqual(readFileSync(join(data, 'recordhub.sqlite')), database)
  assert.deepEqual(readdirSync(data), before)
})
