/** A whole hub for tests: wired as in production, on a real storage, listening on a free port. */
import assert from 'node:assert/strict'
import { Writable } from 'node:stream'
import type { InjectOptions } from 'fastify'
import { pino } from 'pino'
import { type BackgroundIntervals, createHub, type Hub, type HubDeps } from '../../../src/app.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Role } from '../../../src/domain/auth/caller.ts'
import { isErrorCode } from '../../../src/errors.ts'
import { createApiToken } from '../../../src/features/auth/api-token.ts'
import type { MailTimeouts } from '../../../src/features/monitoring/mailer.ts'
import { type Clock, type MonotonicClock, systemClock } from '../../../src/lib/time/clock.ts'
import type { PlatformTimeouts } from '../../../src/platform-client/request/timeouts.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import type { StorageEngine } from '../storage/engine.ts'
import type { TestResponse } from './response.ts'

export const SECRET = 'the secret of a test hub, 32 characters or more'
export const PASSWORD = 'correct horse battery staple'
export const EMAIL = 'ann@example.org'

const NEVER = 3_600_000
/** Hashing a password at its real cost takes 0.2 s of processor time; another test checks the cost. */
const CHEAP_PASSWORDS = { logN: 4, r: 1, p: 1 }

export type TestHubOptions = {
  env?: Record<string, string>
  clock?: Clock
  /** The clock of the rate limits. */
  monotonicClock?: MonotonicClock
  /** Wraps the storage, for example to inject a fault. */
  wrap?: (storage: Storage) => Storage
  /** The timeouts for platforms; by default there is no pause before a retry. */
  timeouts?: Partial<PlatformTimeouts>
  /** The intervals of background work; by default it practically never runs. */
  intervals?: Partial<BackgroundIntervals>
  mailTimeouts?: MailTimeouts
  /** Resolves with true to end the time of a pull, and must resolve when the signal is aborted. */
  waitForLimit?: HubDeps['waitForLimit']
  /** Reads long lists in a separate thread, as a real hub on SQLite does. */
  withThreads?: boolean
  /** Creates the operator {@link EMAIL}. */
  withOperator?: boolean
}

export type HubRequest = {
  method?: InjectOptions['method']
  url: string
  headers?: Record<string, string>
  /** A text is sent unchanged; anything else as JSON. */
  body?: unknown
}

export type TestHub = {
  storage: Storage
  /** Its address: `http://127.0.0.1:<port>`. */
  address: string
  setupLink: string | null
  /** The `Authorization` header with a token of this role. */
  authorization: (role: Role) => string
  /** Sends a request without a socket. */
  send: (request: HubRequest) => Promise<TestResponse>
  /** Reads as a program with the role admin. */
  get: (url: string) => Promise<TestResponse>
  /** Everything the hub has logged. */
  log: () => string
  /** Stops the hub; the storage stays open. */
  stop: () => Promise<void>
  /** Stops the hub and starts another one on the same storage. */
  restart: (options?: TestHubOptions) => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

export async function startTestHub(
  engine: StorageEngine,
  options: TestHubOptions = {},
): Promise<TestHub> {
  const opened = await engine.open({
    clock: options.clock ?? systemClock,
    withThreads: options.withThreads ?? false,
  })
  let storage = opened.storage
  const lines: string[] = []
  let running = await run(storage, options, lines)
  const stop = () => running.hub.stop()

  async function send(request: HubRequest): Promise<TestResponse> {
    const { method = 'GET', url, headers = {}, body } = request
    const payload =
      body === undefined || typeof body === 'string' || Buffer.isBuffer(body)
        ? body
        : JSON.stringify(body)
    const type: Record<string, string> =
      typeof body === 'object' && !Buffer.isBuffer(body)
        ? { 'content-type': 'application/json' }
        : {}
    const answer = await running.hub.http.inject({
      method,
      url,
      headers: { ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    expectKnownCode(answer.body)
    return {
      status: answer.statusCode,
      header: (name) => String(answer.headers[name] ?? ''),
      cookies: [answer.headers['set-cookie'] ?? []].flat(),
      text: answer.body,
    }
  }

  return {
    get storage() {
      return storage
    },
    get address() {
      return running.address
    },
    get setupLink() {
      return running.setupLink
    },
    authorization: (role) => running.authorizations[role],
    send,
    get: (url) => send({ url, headers: { authorization: running.authorizations.admin } }),
    log: () => lines.join(''),
    stop,
    async restart(again = {}) {
      await stop()
      storage = await opened.reopen()
      running = await run(storage, again, lines)
    },
    async [Symbol.asyncDispose]() {
      await stop()
      await opened.close()
    },
  }
}

/** Sends a request over a socket. */
export async function sendOverSocket(
  hub: Pick<TestHub, 'address'>,
  request: HubRequest & { method?: string },
): Promise<TestResponse> {
  const { method = 'GET', url, headers = {}, body } = request
  const answer = await fetch(`${hub.address}${url}`, {
    method,
    headers,
    redirect: 'manual',
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return {
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? '',
    cookies: answer.headers.getSetCookie(),
    text: await answer.text(),
  }
}

async function run(storage: Storage, options: TestHubOptions, lines: string[]) {
  const { clock = systemClock, wrap = (same) => same, withOperator = false, env = {} } = options
  const { config, unknown } = readConfig({
    flags: {},
    environment: {
      PORT: '0',
      HUB_TIME_ZONE: 'UTC',
      HUB_PULL_SCHEDULE: 'off',
      // Tests poll without pauses.
      HUB_API_RATE_LIMIT: '0',
      ...(withOperator ? { HUB_ADMIN_EMAIL: EMAIL, HUB_ADMIN_PASSWORD: PASSWORD } : {}),
      ...env,
    },
    envFile: {},
  })
  assert.deepEqual(unknown, [])
  const hub: Hub = await createHub({
    config,
    clock,
    storage: wrap(storage),
    secret: SECRET,
    logger: pino({ level: 'trace' }, keepLines(lines)),
    version: '0.0.0-test',
    passwordCost: CHEAP_PASSWORDS,
    intervals: {
      ...{ alerts: NEVER, retention: NEVER, heartbeat: NEVER, pushErrors: NEVER },
      ...options.intervals,
    },
    ...(options.mailTimeouts ? { mailTimeouts: options.mailTimeouts } : {}),
    ...(options.monotonicClock ? { monotonicClock: options.monotonicClock } : {}),
    ...(options.waitForLimit ? { waitForLimit: options.waitForLimit } : {}),
    timeouts: { pause: async (_, signal) => !signal.aborted, ...options.timeouts },
  })
  const { address, setupLink } = await hub.start()
  const authorizations = {
    viewer: await createAuthorization(storage, 'viewer'),
    operator: await createAuthorization(storage, 'operator'),
    admin: await createAuthorization(storage, 'admin'),
  }
  return { hub, address, setupLink, authorizations }
}

async function createAuthorization(storage: Storage, role: Role): Promise<string> {
  const request = { name: `test ${role}`, role, expiresInDays: 1, actor: 'test' }
  return `Bearer ${await createApiToken({ operators: storage.operators, clock: systemClock }, request)}`
}

/** A time limit of pulls that the test controls. */
export function createLimit() {
  let end: (() => void) | null = null
  return {
    /** Ends the time of the running pull. */
    reach: () => end?.(),
    waitForLimit: (_: number, signal: AbortSignal) =>
      new Promise<boolean>((resolve) => {
        end = () => resolve(true)
        signal.addEventListener('abort', () => resolve(false), { once: true })
      }),
  }
}

function keepLines(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
}

/** Asserts that the code of every error is in `docs/errors.md`. */
function expectKnownCode(body: string): void {
  if (!body.startsWith('{"success":false')) return
  const { code } = Object(JSON.parse(body))
  if (code !== undefined) assert.ok(isErrorCode(String(code)), `${code} is not in the catalogue`)
}
