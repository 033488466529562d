import { createFaultReport } from '../helpers/process/fault-report.ts'
import { noMounts } from '../helpers/process/mounts.ts'
import { test } from '../helpers/process/sandbox.ts'
import { fillAndFree, startHubOnSmallDisk } from './disk-full.ts'

test(
  'a full disk stops writes with its reason, and the hub continues without help once there is space',
  async (t, sandbox) => {
    const started = await startHubOnSmallDisk(t, sandbox)
    await fillAndFree(started, 'fill', createFaultReport('full disk', 'SQLite'))
    await started.ledger.assertStored(started.operator)
  },
  { skip: noMounts },
)
