/** The limits of the heap that a hub sets in its own process. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'

const PROGRAM = new URL('../../src/cli/program.ts', import.meta.url).href

/** Keeps so much that the young generation grows to its limit. Responds with its largest size in bytes. */
const WORKER = `
  import { getHeapSpaceStatistics } from 'node:v8'
  import { parentPort } from 'node:worker_threads'
  const recent = new Array(50_000)
  let size = 0
  for (let n = 0; n < 3_000_000; n++) {
    recent[n % recent.length] = { n, next: [n] }
    if (n % 50_000 > 0) continue
    const young = getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')
    size = Math.max(size, young.space_size)
  }
  parentPort.postMessage(size)`

const MAIN = `
  import { Worker } from 'node:worker_threads'
  import { limitHeapAfterStart, limitHeapDuringStart } from ${JSON.stringify(PROGRAM)}
  limitHeapDuringStart()
  limitHeapAfterStart()
  const url = new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(WORKER)}))
  const worker = new Worker(url, { resourceLimits: { maxYoungGenerationSizeMb: 4 } })
  worker.on('message', (size) => console.log(size))`

test('the option for the young generation of the main thread does not raise that of a thread', async () => {
  const options = ['--max-semi-space-size=32', '--input-type=module', '--eval', MAIN]
  const { stdout } = await promisify(execFile)(process.execPath, options)
  const size = Number(stdout)
  assert.ok(size > 0 && size < 16_000_000, stdout)
})
