import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'

test('only one of many contenders acquires the lock of an ended process', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-lock-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const { pid } = spawnSync(process.execPath, ['--version'])
  const lock = JSON.stringify({ host: hostname(), pid, started: 1, token: 'x' })
  const names = Array.from({ length: 5 }, (_, index) => `lock-${index}`)
  for (const name of names) writeFileSync(join(folder, name), lock)
  const takers = Array.from(
    { length: 4 },
    () => new Worker(new URL('./file-lock.child.ts', import.meta.url)),
  )
  t.after(() => Promise.all(takers.map((taker) => taker.terminate())))
  await Promise.all(takers.map((taker) => once(taker, 'message')))
  const results = takers.map(async (taker): Promise<boolean[]> => {
    const [taken] = await once(taker, 'message')
    return taken
  })
  for (const taker of takers) taker.postMessage(names.map((name) => join(folder, name)))
  const taken = await Promise.all(results)
  const counts = names.map((_, index) => taken.filter((one) => one[index]).length)
  assert.deepEqual(
    counts,
    names.map(() => 1),
  )
  assert.deepEqual(readdirSync(folder).toSorted(), names, 'nothing else is left behind')
})
