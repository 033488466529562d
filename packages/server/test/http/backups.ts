/** Steps of the tests of backups. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BackupRun, BackupRunResponse } from '@recordhub/protocol'
import type { TestHub } from '../helpers/hub/hub.ts'
import { expectBody } from '../helpers/hub/response.ts'
import { until } from '../helpers/time/until.ts'

export function createFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-backups-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function readBackups(hub: TestHub) {
  return hub.call('GET /api/v1/backups')
}

export async function post(hub: TestHub, url: string): Promise<BackupRun> {
  return expectBody(await hub.callAs('admin', 'POST', url), 202, BackupRunResponse).run
}

/** Waits for the end of the running backup or drill. */
export function untilEnded(hub: TestHub, state: BackupRun['state'] = 'succeeded') {
  return until(async () => {
    const found = await readBackups(hub)
    if (found.run?.state === 'running') return null
    assert.equal(found.run?.state, state, found.run?.error ?? '')
    return found
  }, `the backup has ${state}`)
}
