/** Sign-in attempts wait for each other in lanes: a flood from new clients delays nobody who is known. */
import assert from 'node:assert/strict'
import fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import { createLoginThrottle } from '../../src/features/auth/login-throttle.ts'
import { createTrustedDevices } from '../../src/features/auth/second-factor-policy.ts'
import { handleErrors } from '../../src/http/error-handler.ts'
import { test } from '../helpers/storage/engines.ts'
import type { StorageKit } from '../helpers/storage/kit.ts'
import { untilTrue } from '../helpers/time/until.ts'

const EMAIL = 'ann@example.org'
const KEY = new Uint8Array(32)

/** The throttle behind routes whose passwords are verified until the test ends it. */
function createKit({ storage, clock }: StorageKit) {
  const app = fastify({ trustProxy: true })
  handleErrors(app)
  const devices = createTrustedDevices(KEY, false)
  const throttle = createLoginThrottle({ ...storage, devices, key: KEY, clock, log: app.log })
  const verified = Promise.withResolvers<void>()
  const state = { received: 0, running: 0, maxRunning: 0, status: 200 }

  async function verify(): Promise<Response> {
    state.running += 1
    state.maxRunning = Math.max(state.maxRunning, state.running)
    await verified.promise
    state.running -= 1
    return Response.json({}, { status: state.status })
  }

  app.post('/sign-in/:email', async (request: FastifyRequest<{ Params: { email: string } }>) => {
    const { email } = request.params
    const attempt = throttle.signIn({ credential: 'password', email, request }, verify)
    state.received += 1
    return { status: (await attempt).status }
  })
  app.post('/trusted', async (request) => {
    const step = async () => Response.json({})
    return (await throttle.signIn({ credential: 'password', email: EMAIL, request }, step)).json()
  })
  app.post('/reauthenticate', async () => throttle.reauthenticate('a session', async () => ({})))
  app.post('/remember', async (_request, reply: FastifyReply) => {
    devices.remember(reply, EMAIL)
    return {}
  })
  const send = (url: string, headers: Record<string, string> = {}) =>
    app.inject({ method: 'POST', url, headers })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  return { app, state, send, from, verified, throttle }
}

test('two passwords of new clients are verified at once, few wait, and known clients have a lane of their own', async (kit) => {
  const { app, state, send, from, verified, throttle } = createKit(kit)
  const signIn = (address: string, n: number) => send(`/sign-in/${n}@example.org`, from(address))
  const addresses = ['192.0.2.1', '192.0.2.2', '2001:db8:1:1::1', '192.0.2.4']
  const waiting = addresses.flatMap((address) =>
    Array.from({ length: 8 }, (_, n) => signIn(address, n)),
  )
  await untilTrue('all attempts are received', async () => state.received === 32)
  await untilTrue('two passwords are verified', async () => state.running === 2)
  const others = ['192.0.2.1', '192.0.2.5', '2001:db8:1:2::1']
  for (const address of others) {
    const rejected = await signIn(address, 99)
    assert.deepEqual([rejected.statusCode, rejected.headers['retry-after']], [503, '1'])
  }
  const device = (await send('/remember')).headers['set-cookie']
  const cookie = String(device).split(';')[0] ?? ''
  const trusted = await send('/trusted', { ...from('192.0.2.1'), cookie })
  assert.equal(trusted.statusCode, 200)
  assert.equal((await send('/reauthenticate')).statusCode, 200)
  assert.equal(state.running, 2)
  verified.resolve()
  for (const response of await Promise.all(waiting)) assert.equal(response.statusCode, 200)
  assert.equal(state.maxRunning, 2)
  assert.equal((await signIn('192.0.2.5', 99)).statusCode, 200)
  await throttle.waitForPending()
  await app.close()
})

test('a failed attempt from an IPv6 address also counts for its /48', async (kit) => {
  const { app, state, send, from, verified, throttle } = createKit(kit)
  verified.resolve()
  state.status = 401
  const newCounts = async (address: string) => {
    const before = await kit.countRows('login_attempts')
    await send(`/sign-in/${EMAIL}`, from(address))
    return (await kit.countRows('login_attempts')) - before
  }
  await newCounts('192.0.2.1')
  // The client and its subnet; the account and all attempts are counted already.
  assert.equal(await newCounts('192.0.2.2'), 2)
  assert.equal(await newCounts('2001:db8:1:1::1'), 3)
  assert.equal(await newCounts('2001:db8:1:2::1'), 2)
  await throttle.waitForPending()
  await app.close()
})
