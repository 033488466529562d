import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { HubError } from '../errors.ts'
import { handleErrors } from './error-handler.ts'

/** A server that rejects every request; `logged` returns the log lines since its last call. */
async function startRejectingServer(t: TestContext) {
  let logged: [code: string, requests: number, route: string][] = []
  let failed: [requests: number, route: string, error: string][] = []
  const logger: FastifyBaseLogger = pino({
    hooks: {
      streamWrite(line) {
        const { msg, code, requests, route, err } = JSON.parse(line)
        if (msg === 'request failed') failed.push([requests, route, err.message])
        if (msg === 'requests rejected') logged.push([code, requests, route])
        return ''
      },
    },
  })
  const app = fastify({ loggerInstance: logger })
  handleErrors(app)
  for (const url of ['/a', '/b']) {
    app.get(url, () => {
      throw new HubError('forbidden')
    })
  }
  app.get('/defect', () => {
    throw new TypeError('a defect')
  })
  app.get('/other-defect', () => {
    throw new TypeError('another defect')
  })
  app.get('/platform', () => {
    throw new HubError('platform_rejected_key', { status: 401 })
  })
  app.get('/other', () => {
    throw new HubError('not_signed_in')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return {
    app,
    async reject(url: string, times = 1) {
      for (let time = 0; time < times; time++) await app.inject(url)
    },
    /** The failures that were logged since the last call. */
    failures() {
      const lines = failed
      failed = []
      return lines
    },
    logged() {
      const lines = logged
      logged = []
      return lines
    },
  }
}

test('the first rejection of a burst is logged at once, the others after one second', async (t) => {
  const { reject, logged } = await startRejectingServer(t)
  await reject('/a', 5)
  assert.deepEqual(logged(), [['forbidden', 1, '/a']])
  await reject('/b')
  await reject('/other')
  assert.deepEqual(logged(), [['not_signed_in', 1, '/other']])
  t.mock.timers.tick(999)
  assert.deepEqual(logged(), [])
  t.mock.timers.tick(1)
  assert.deepEqual(logged(), [['forbidden', 5, '/b']])
  t.mock.timers.tick(60_000)
  assert.deepEqual(logged(), [])
})

test('a flood logs one line per second, and a rejection after a quiet second is logged at once', async (t) => {
  const { reject, logged } = await startRejectingServer(t)
  for (let second = 0; second < 3; second++) {
    await reject('/a', 3)
    t.mock.timers.tick(1000)
  }
  assert.deepEqual(
    logged().map(([, requests]) => requests),
    [1, 2, 3, 3],
  )
  t.mock.timers.tick(1000)
  await reject('/a')
  assert.deepEqual(logged(), [['forbidden', 1, '/a']])
})

test('equal failures are logged once per second with their number, and other failures at once', async (t) => {
  const { reject, failures } = await startRejectingServer(t)
  await reject('/defect', 5)
  assert.deepEqual(failures(), [[1, '/defect', 'a defect']])
  await reject('/other-defect')
  assert.deepEqual(failures(), [[1, '/other-defect', 'another defect']])
  t.mock.timers.tick(1000)
  assert.deepEqual(failures(), [[4, '/defect', 'a defect']])
  t.mock.timers.tick(60_000)
  await reject('/defect')
  assert.deepEqual(failures(), [[1, '/defect', 'a defect']])
})

test('a failure of a platform is no failure of the hub', async (t) => {
  const { reject, logged, failures } = await startRejectingServer(t)
  await reject('/platform')
  assert.deepEqual(logged(), [['platform_rejected_key', 1, '/platform']])
  assert.deepEqual(failures(), [])
})

test('a closing server logs the remaining rejections', async (t) => {
  const { app, reject, logged } = await startRejectingServer(t)
  await reject('/a', 4)
  const closed = once(app.server, 'close')
  await app.close()
  await closed
  assert.deepEqual(
    logged().map(([, requests]) => requests),
    [1, 3],
  )
})
