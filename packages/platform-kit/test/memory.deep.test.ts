import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'

const RECORDS = 1_000_000

test('a module is served with a heap much smaller than its records', async (t) => {
  const child = fork(new URL('./memory.child.ts', import.meta.url), [String(RECORDS)], {
    execArgv: ['--max-old-space-size=24'],
  })
  t.after(() => child.kill('SIGKILL'))
  const [port] = await once(child, 'message')
  const headers = { 'X-PLATFORM-API-KEY': 'a source key of 24 chars' }
  for (const encoding of ['identity', 'gzip']) {
    const response = await fetch(`http://127.0.0.1:${port}/api/hub/records/many`, {
      headers: { ...headers, 'Accept-Encoding': encoding },
    })
    let bytes = 0
    let tail = ''
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      tail = (tail + Buffer.from(chunk).toString('latin1')).slice(-100)
    }
    assert.match(tail, new RegExp(`"total":${RECORDS}}$`))
    assert.ok(bytes > 150 * RECORDS)
  }
  child.send('report')
  const [kilobytes] = await once(child, 'message')
  t.diagnostic(`${Math.round(kilobytes / 1024)} MB at peak, including Node.js`)
})
