import assert from 'node:assert/strict'
import { join } from 'node:path'
import { createFaultReport } from '../helpers/process/fault-report.ts'
import { mountMemory, mountReadOnly, noMounts } from '../helpers/process/mounts.ts'
import { provideData } from '../helpers/process/provide-data.ts'
import { registerPusher } from '../helpers/process/push-loop.ts'
import { test } from '../helpers/process/sandbox.ts'
import { fillDisk } from './disk-full.ts'

test(
  'a hub whose data folder is read-only does not start and says why, and starts once it is writable',
  async (t, sandbox) => {
    const report = createFaultReport('read-only data folder', 'SQLite')
    const isProvided = provideData(sandbox.folder) !== null
    const { shell } = await mountReadOnly(t, sandbox.folder)
    const assertNotStarted = async (reason: RegExp) => {
      report.caused()
      const ended = await sandbox.run(['start'], { env: { PORT: '0' }, shell })
      assert.equal(ended.code, 1)
      assert.equal(ended.stderr.length, 1, ended.stderr.join('\n'))
      assert.match(ended.stderr[0] ?? '', reason)
    }
    const database = /The database .*recordhub\.sqlite cannot be used: .*read-?only/
    if (isProvided) return assertNotStarted(database)
    await assertNotStarted(/^HUB_DATA_DIR: cannot use the folder .*data \(.*recordhub\.secret/)

    // The mount is invisible to other processes.
    const hub = await sandbox.startHub()
    const { operator, ledger } = await registerPusher(t, hub)
    assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
    await assertNotStarted(database)

    report.ended()
    const restarted = await sandbox.startHub()
    report.recovered()
    report.save(await ledger.compare(operator.at(restarted.address)))
    await ledger.assertStored(operator.at(restarted.address))
  },
  { skip: noMounts },
)

test(
  'a new hub whose data folder is full does not start, and names the folder',
  async (t, { folder, run }) => {
    const { shell, path } = await mountMemory(t, folder, 1)
    fillDisk(join(path, 'ballast'))
    for (const HUB_SECRET of ['', 'a secret that is not in the data folder']) {
      const { code, stderr } = await run(['start'], { env: { PORT: '0', HUB_SECRET }, shell })
      assert.equal(code, 1)
      assert.equal(stderr.length, 1, stderr.join('\n'))
      assert.match(stderr[0] ?? '', new RegExp(`${join(folder, 'data')}.*(?:no space|is full)`))
    }
  },
  { skip: noMounts },
)
