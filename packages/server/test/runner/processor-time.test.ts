import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { execPath, pid, platform } from 'node:process'
import { test } from 'node:test'
import { readTreeMs } from './processor-time.ts'

test('the processor time of a process includes that of its ended children', () => {
  const before = readTreeMs(pid)
  if (platform !== 'linux') return assert.equal(before, null)
  const work =
    'const end = process.cpuUsage().user + 100_000; while (process.cpuUsage().user < end);'
  spawnSync(execPath, ['-e', work])
  const after = readTreeMs(pid)
  assert.ok(before !== null && after !== null && after - before >= 100)
})
