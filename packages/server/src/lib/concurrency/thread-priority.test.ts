import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { isMainThread, parentPort, Worker } from 'node:worker_threads'
import { lowerThreadPriority } from './thread-priority.ts'

/** The nice value of the calling thread, the 19th field of proc_pid_stat(5); null on systems without it. */
function readNice(): number | null {
  if (process.platform !== 'linux') return null
  const stat = readFileSync('/proc/thread-self/stat', 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16])
}

if (isMainThread) {
  test('a thread lowers its own priority, and no other one', async () => {
    const before = readNice()
    const [nice] = await once(new Worker(new URL(import.meta.url)), 'message')
    assert.equal(nice, before === null ? null : Math.max(before, 10))
    assert.equal(readNice(), before)
  })
} else {
  lowerThreadPriority()
  parentPort?.postMessage(readNice())
}
