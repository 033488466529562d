import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { writeLog } from './log-export.ts'

test('an export that no one reads any more stops, although no entry matches', async () => {
  let isClosed = false
  async function* pages(): AsyncGenerator<{ id: number }[]> {
    try {
      for (;;) {
        await setImmediate()
        yield []
      }
    } finally {
      isClosed = true
    }
  }
  const text = writeLog({ format: 'csv', columns: ['id'], pages: pages() })
  assert.equal((await text.next()).value, 'id\r\n')
  assert.equal((await text.next()).value, '')
  await text.return(undefined)
  assert.ok(isClosed)
})
