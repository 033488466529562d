import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { constants, createGzip } from 'node:zlib'
import { DEFAULT_TIMEOUTS, decodeBody } from './timeouts.ts'

for (const encoding of ['', 'gzip']) {
  test(`a reader that stops closes the connection, even to a silent sender (${encoding || 'plain'})`, async () => {
    const body = new PassThrough()
    const sender = encoding === '' ? body : createGzip({ flush: constants.Z_SYNC_FLUSH })
    if (sender !== body) sender.pipe(body)
    sender.write('{"platform_name":"other",')
    for await (const piece of decodeBody(body, {
      path: '/',
      encoding,
      timeouts: DEFAULT_TIMEOUTS,
    })) {
      assert.match(Buffer.from(piece).toString(), /other/)
      break
    }
    assert.equal(body.destroyed, true)
  })
}
