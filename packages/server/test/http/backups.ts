/** Steps of the tests of backups. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type BackupRun, BackupRunResponse, BackupsResponse } from '@recordhub/protocol'
import type { TestHub } from '../helpers/hub/hub.ts'
import { expectBody } from '../helpers/hub/response.ts'
import { until } from '../helpers/time/until.ts'

export function createFolder(t: Pick<TestContext, 'after'>): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-backups-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export async function readBackups(hub: TestHub) {
  return expectBody(await hub.get('/api/v1/backups'), 200, BackupsResponse)
}

export async function post(hub: TestHub, url: string): Promise<BackupRun> {
  const headers = { authorization: hub.authorization('admin') }
  return expectBody(await hub.send({ method: 'POST', url, headers }), 202, BackupRunResponse).run
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
