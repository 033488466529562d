import assert from 'node:assert/strict'
import { test } from 'node:test'
import Fastify from 'fastify'
import { type LoggedRequest, REQUEST_LOG_LIMITS } from '../../domain/activity/request-log.ts'
import { systemClock } from '../../lib/time/clock.ts'
import { createRequestLog } from './log-requests.ts'

const LONG = 'x'.repeat(15_000)

for (const [what, headers, response] of [
  ['headers', { 'x-long': LONG }, 'short'],
  ['responses', {}, LONG],
] as const) {
  test(`the ${what} that wait to be saved are limited by their size`, async () => {
    const saved: (LoggedRequest | string)[] = []
    let seconds = 0
    const log = createRequestLog({
      requests: { saveRequests: async (requests) => void saved.push(...requests) },
      readSourceKey: async () => '',
      clock: systemClock,
      // A second later at each request, so that no rate is exceeded.
      monotonicClock: { now: () => 1000 * seconds++ },
      maxBytes: 1,
      onError: (error) => assert.ifError(error),
    })
    const app = Fastify()
    app.addHook('onSend', (request, reply, payload, done) => {
      log.add(request, reply, payload, { key: '', platform_id: null, bytes: null, accepted: null })
      done(null, payload)
    })
    app.get('/', () => response)
    for (let count = 0; count < 300; count += 1) await app.inject({ url: '/', headers })
    await log.flush()
    const kept = saved.filter((one) => typeof one !== 'string' && one.details !== null).length
    assert.equal(saved.length, 300)
    assert.ok(kept > 200 && kept <= REQUEST_LOG_LIMITS.waitingBytes / LONG.length + 1, `${kept}`)
  })
}
