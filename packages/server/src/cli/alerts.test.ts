import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { readConfig } from '../config/config.ts'
import { openStorage } from '../storage/open.ts'
import { listAndWatch } from './alerts.ts'

test('--watch prints each change until it is stopped, and returns whether alerts are open', async (t) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'recordhub-alerts-'))
  t.after(() => rmSync(dataDir, { recursive: true }))
  const { config } = readConfig({ flags: { HUB_DATA_DIR: dataDir }, environment: {}, envFile: {} })
  const storage = await openStorage({
    ...{ url: '', dataDir, asHub: true, timeZone: 'UTC', warn: () => undefined },
  })
  t.after(() => storage.close())
  const stop = new AbortController()
  const lines: string[] = []
  let onPrint = () => {}
  const print = (line: string) => {
    lines.push(line)
    onPrint()
  }
  const printed = () => new Promise<void>((resolve) => (onPrint = resolve))
  const listed = printed()
  const output = { print, printError: print, isJson: false, intervalMs: 1 }
  const watching = listAndWatch(config, output, stop.signal)
  await listed
  const raised = printed()
  const found = {
    kind: 'disk_low',
    subject: 'disk',
    platform: null,
    message: 'Nearly full',
  } as const
  await storage.alerts.applyAlertChanges({ raise: [found], resolve: [], reword: [] })
  await raised
  stop.abort()
  assert.equal(await watching, 1)
  assert.deepEqual(
    lines.map((line) => line.replace(/^.* UTC {2}/, '')),
    ['No open alerts', 'raised: disk_low: Nearly full'],
  )
})
