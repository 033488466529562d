import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openStorage } from '../storage/open.ts'
import { doctor } from './doctor.ts'

function createFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-doctor-'))
  t.after(() => rmSync(folder, { recursive: true }))
  return folder
}

async function run(HUB_DATA_DIR: string, ...names: string[]) {
  const lines: string[] = []
  const settings = { HUB_DATA_DIR }
  const print = (line: string) => void lines.push(line)
  const code = await doctor({ settings, options: {}, switches: new Set(names) }, print, print)
  return { code, output: lines.join('\n') }
}

test('without a database, the other checks run and the exit code is 2', async (t) => {
  const { code, output } = await run(createFolder(t))
  assert.equal(code, 2)
  assert.match(output, /^ok +versions/m)
  assert.match(output, /^skipped +schema/m)
  assert.match(output, /There is no database at/)
})

test('a damaged database is a problem, and --fix does not write to it', async (t) => {
  const folder = createFolder(t)
  const options = { url: '', timeZone: 'UTC', warn: () => undefined }
  const storage = await openStorage({ ...options, dataDir: folder, asHub: true })
  await storage.close()
  const path = join(folder, 'recordhub.sqlite')
  const damaged = readFileSync(path)
  damaged.fill(0x5a, 0, damaged.length - 8192)
  writeFileSync(path, damaged)
  const { code, output } = await run(folder, 'fix')
  assert.equal(code, 1)
  assert.match(output, /^PROBLEM +integrity/m)
  assert.match(output, /nothing in it is repaired/)
  assert.deepEqual(readFileSync(path), damaged)
})
