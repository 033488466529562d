import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type TestContext, test } from 'node:test'
import fastify, { type FastifyBaseLogger } from 'fastify'
import { pino } from 'pino'
import { HubError } from '../errors.ts'
import { handleErrors } from './error-handler.ts'

/** A server that rejects every request; `told` returns the log lines since its last call. */
async function openRefusing(t: TestContext) {
  let told: [code: string, requests: number, route: string][] = []
  const logger: FastifyBaseLogger = pino({
    hooks: {
      streamWrite(line) {
        const { msg, code, requests, route } = JSON.parse(line)
        if (msg === 'requests refused') told.push([code, requests, route])
        return ''
      },
    },
  })
  const app = fastify({ loggerInstance: logger })
  handleErrors(app, 1000)
  for (const url of ['/a', '/b']) {
    app.get(url, () => {
      throw new HubError('forbidden')
    })
  }
  app.get('/other', () => {
    throw new HubError('not_signed_in')
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  t.after(() => app.close())
  t.mock.timers.enable({ apis: ['setTimeout'] })
  return {
    app,
    async refuse(url: string, times = 1) {
      for (let time = 0; time < times; time++) await app.inject(url)
    },
    told() {
      const lines = told
      told = []
      return lines
    },
  }
}

test('the first rejection of a burst is logged at once, the others after one second', async (t) => {
  const { refuse, told } = await openRefusing(t)
  await refuse('/a', 5)
  assert.deepEqual(told(), [['forbidden', 1, '/a']])
  await refuse('/b')
  await refuse('/other')
  assert.deepEqual(told(), [['not_signed_in', 1, '/other']])
  t.mock.timers.tick(999)
  assert.deepEqual(told(), [])
  t.mock.timers.tick(1)
  assert.deepEqual(told(), [['forbidden', 5, '/b']])
  t.mock.timers.tick(60_000)
  assert.deepEqual(told(), [])
})

test('a flood logs one line per second, and a rejection after a quiet second is logged at once', async (t) => {
  const { refuse, told } = await openRefusing(t)
  for (let second = 0; second < 3; second++) {
    await refuse('/a', 3)
    t.mock.timers.tick(1000)
  }
  assert.deepEqual(
    told().map(([, requests]) => requests),
    [1, 2, 3, 3],
  )
  t.mock.timers.tick(1000)
  await refuse('/a')
  assert.deepEqual(told(), [['forbidden', 1, '/a']])
})

test('a closing server logs the remaining rejections', async (t) => {
  const { app, refuse, told } = await openRefusing(t)
  await refuse('/a', 4)
  const closed = once(app.server, 'close')
  await app.close()
  await closed
  assert.deepEqual(
    told().map(([, requests]) => requests),
    [1, 3],
  )
})
