/** A complete hub for tests, wired as in production, with a real storage and a free port. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import type { TokenScope } from '@recordhub/protocol'
import { pino } from 'pino'
import { type BackgroundIntervals, createHub, type Hub, type HubDeps } from '../../../src/app.ts'
import { readConfig } from '../../../src/config/config.ts'
import type { Role } from '../../../src/domain/auth/caller.ts'
import { isErrorCode } from '../../../src/errors.ts'
import type { MailTimeouts } from '../../../src/features/monitoring/mail-alerts.ts'
import { createApiToken } from '../../../src/features/operators/manage-operators.ts'
import { type Clock, type MonotonicClock, systemClock } from '../../../src/lib/time/clock.ts'
import type { PlatformTimeouts } from '../../../src/platform-client/request/timeouts.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import {
  createOperator,
  encodeBody,
  fetchFrom,
  type HubRequest,
  type Operator,
  withHeaders,
} from '../operator.ts'
import type { StorageEngine } from '../storage/engine.ts'
import { DOCUMENT_URL, expectDescribed, provideDocument } from './described-responses.ts'
import {
  createOperatorRequests,
  EMAIL,
  type OperatorRequests,
  PASSWORD,
} from './operator-requests.ts'
import { createPlatformRequests, type PlatformRequests } from './platform-requests.ts'
import type { TestResponse } from './response.ts'

export const SECRET = 'the secret of a test hub, 32 characters or more'
export { EMAIL, PASSWORD } from './operator-requests.ts'

const NEVER = 3_600_000
/** Hashing a password at its real cost takes 0.2 s of processor time. Another test checks the real cost. */
const CHEAP_PASSWORDS = { logN: 4, r: 1, p: 1 }

export type TestHubOptions = {
  env?: Record<string, string>
  clock?: Clock
  /** The clock of the rate limits. */
  monotonicClock?: MonotonicClock
  /** Wraps the storage, for example to inject a fault. */
  wrap?: (storage: Storage) => Storage
  /** The timeouts for platforms. By default, there is no pause before a retry. */
  timeouts?: Partial<PlatformTimeouts>
  /** The intervals of background jobs. By default, they do not run during a test. */
  intervals?: Partial<BackgroundIntervals>
  mailTimeouts?: MailTimeouts
  /** Resolves to true when the time limit of a pull is reached. Must resolve when the signal is aborted. */
  waitForLimit?: HubDeps['waitForLimit']
  /** The time of the schedules: `createScheduleTime`. */
  scheduleTime?: HubDeps['scheduleTime']
  /** Reads long lists in a separate thread, as a real hub on SQLite does. */
  withThreads?: boolean
  /** Creates the operator {@link EMAIL}. */
  withOperator?: boolean
}

export type { HubRequest } from '../operator.ts'

export type HubCore = {
  storage: Storage
  /** `http://127.0.0.1:<port>`. */
  address: string
  /** The URL of HUB_METRICS_PORT; null without one. */
  metricsAddress: string | null
  setupLink: string | null
  /** The `Authorization` header with a token of this role, or with this scope and the role that its routes require. */
  authorization: (permission: Role | 'hub_keys' | 'access' | 'reverts') => string
  /** Injects a request without a socket. */
  send: (request: HubRequest) => Promise<TestResponse>
  /** Sends a GET request with the token of the role admin. */
  get: (url: string) => Promise<TestResponse>
  /** The complete log of the hub. */
  log: () => string
  /** As after a failure of the disk. */
  rejectAll: () => void
  /** Whether the test has ended, so that pages that are still open get no responses any more. */
  isDisposed: () => boolean
  /** Stops the hub without closing the storage. */
  stop: () => Promise<void>
  /** Stops the hub, reopens the storage and starts a new hub on it. */
  restart: (options?: TestHubOptions) => Promise<void>
  [Symbol.asyncDispose]: () => Promise<void>
}

/** A running hub. The requests of its operator have the token of the role operator. */
export type TestHub = HubCore & Omit<Operator, 'call'> & PlatformRequests & OperatorRequests

export async function startTestHub(
  engine: StorageEngine,
  options: TestHubOptions = {},
): Promise<TestHub> {
  const { hub, start } = defineTestHub(engine, options)
  await start()
  return hub
}

/** A hub that runs from the end of `start` on, for tests that refer to it before. */
export function defineTestHub(
  engine: StorageEngine,
  options: TestHubOptions = {},
): { hub: TestHub; start: () => Promise<void> } {
  let opened: OpenedStorage | null = null
  let current: RunningHub | null = null
  let dataDir: string | null = null
  let isDisposed = false
  const lines: string[] = []
  const running = () => {
    assert.ok(current, 'The hub has not started')
    return current
  }

  async function start(): Promise<void> {
    const { clock = systemClock, withThreads = false } = options
    opened = await engine.open({ clock, withThreads })
    // Backups of the hub must not be seen by other tests.
    dataDir = mkdtempSync(join(tmpdir(), 'recordhub-hub-'))
    current = await run(opened.storage, options, { lines, dataDir })
  }

  async function send(request: HubRequest): Promise<TestResponse> {
    const { method = 'GET', url, headers = {}, body } = request
    const { type, payload } = encodeBody(body)
    const response = await running().hub.http.inject({
      method,
      url,
      headers: { ...type, ...headers },
      ...(payload === undefined ? {} : { payload }),
    })
    assertKnownCode(response.body)
    const { statusCode: status, body: text } = response
    const header = (name: string) => String(response.headers[name] ?? '')
    expectDescribed({ method, url, status, contentType: header('content-type'), text })
    return { status, header, cookies: [response.headers['set-cookie'] ?? []].flat(), text }
  }

  const core: HubCore = {
    get storage() {
      return running().storage
    },
    get address() {
      return running().address
    },
    get metricsAddress() {
      return running().metricsAddress
    },
    get setupLink() {
      return running().setupLink
    },
    authorization: (permission) => running().authorizations[permission],
    send,
    get: (url) => send({ url, headers: { authorization: running().authorizations.admin } }),
    log: () => lines.join(''),
    rejectAll: () => running().hub.rejectAll(),
    isDisposed: () => isDisposed,
    stop: () => running().hub.stop(),
    async restart(newOptions = {}) {
      await running().hub.stop()
      assert.ok(opened && dataDir)
      current = await run(await opened.reopen(), newOptions, { lines, dataDir })
    },
    async [Symbol.asyncDispose]() {
      isDisposed = true
      await current?.hub.stop()
      await opened?.close()
      if (dataDir) rmSync(dataDir, { recursive: true, force: true, maxRetries: 3 })
    },
  }
  const operator = createOperator(
    withHeaders(send, () => ({ authorization: core.authorization('operator') })),
  )
  const requests = {
    ...createPlatformRequests(core, operator),
    ...createOperatorRequests(core, operator),
  }
  return { hub: Object.assign(core, operator, requests), start }
}

/** Sends a request to a hub over a socket. */
export function sendOverSocket(
  { address }: Pick<TestHub, 'address'>,
  request: HubRequest,
): Promise<TestResponse> {
  return fetchFrom(address)(request)
}

type RunningHub = Awaited<ReturnType<typeof run>>
type OpenedStorage = Awaited<ReturnType<StorageEngine['open']>>

async function run(
  storage: Storage,
  options: TestHubOptions,
  { lines, dataDir }: { lines: string[]; dataDir: string },
) {
  const { clock = systemClock, wrap = (one) => one, withOperator = false, env = {} } = options
  const { config, given, unknown } = readConfig({
    flags: {},
    environment: {
      PORT: '0',
      HUB_DATA_DIR: dataDir,
      HUB_TIME_ZONE: 'UTC',
      HUB_PULL_SCHEDULE: 'off',
      // Tests poll faster than the limit allows.
      HUB_API_RATE_LIMIT: '0',
      ...(withOperator ? { HUB_ADMIN_EMAIL: EMAIL, HUB_ADMIN_PASSWORD: PASSWORD } : {}),
      ...env,
    },
    envFile: {},
  })
  assert.deepEqual(unknown, [])
  const hub: Hub = await createHub({
    config,
    given,
    clock,
    storage: wrap(withoutMachine(storage)),
    secret: SECRET,
    logger: pino({ level: 'trace' }, collectLines(lines)),
    version: '0.0.0-test',
    passwordCost: CHEAP_PASSWORDS,
    intervals: {
      ...{ alerts: NEVER, retention: NEVER, heartbeat: NEVER, pushErrors: NEVER },
      ...{ metrics: 0, traces: NEVER },
      ...options.intervals,
    },
    ...(options.mailTimeouts ? { mailTimeouts: options.mailTimeouts } : {}),
    ...(options.monotonicClock ? { monotonicClock: options.monotonicClock } : {}),
    ...(options.waitForLimit ? { waitForLimit: options.waitForLimit } : {}),
    ...(options.scheduleTime ? { scheduleTime: options.scheduleTime } : {}),
    timeouts: { pause: async (_, signal) => !signal.aborted, ...options.timeouts },
  })
  const { address, metricsAddress, setupLink } = await hub.start()
  await provideDocument(async () => (await hub.http.inject(DOCUMENT_URL)).body)
  const authorizations = {
    viewer: await createAuthorization(storage, 'viewer'),
    operator: await createAuthorization(storage, 'operator'),
    admin: await createAuthorization(storage, 'admin'),
    hub_keys: await createAuthorization(storage, 'operator', 'hub_keys'),
    access: await createAuthorization(storage, 'admin', 'access'),
    reverts: await createAuthorization(storage, 'operator', 'reverts'),
  }
  return { hub, storage, address, metricsAddress, setupLink, authorizations }
}

async function createAuthorization(
  storage: Storage,
  role: Role,
  scope: TokenScope | null = null,
): Promise<string> {
  const name = `test ${scope ?? role}`
  const request = { name, role, scope, expiresInDays: null, actor: 'test' }
  return `Bearer ${await createApiToken({ operators: storage.operators, clock: systemClock }, request)}`
}

/** A time limit for pulls that a test can reach at any time. */
export function createPullTimeLimit() {
  let end: (() => void) | null = null
  return {
    /** Reaches the time limit of the running pull. */
    reach: () => end?.(),
    waitForLimit: (_: number, signal: AbortSignal) =>
      waitForCall(signal, (resolve) => {
        end = resolve
      }),
  }
}

/** Waits as `sleep` does, until the test calls the function that `onStart` receives, or until the signal aborts. */
function waitForCall(signal: AbortSignal, onStart: (end: () => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    onStart(() => resolve(true))
    if (signal.aborted) resolve(false)
    signal.addEventListener('abort', () => resolve(false), { once: true })
  })
}

/** The time of a schedule, which stands still until a test passes it. */
export function createScheduleTime(startAt = Date.now()) {
  let now = startAt
  let pass = () => {}
  return {
    /** Passes the time for which the schedule waits, at most 30 seconds. */
    pass: () => pass(),
    scheduleTime: {
      clock: { now: () => new Date(now) },
      wait: (milliseconds: number, signal: AbortSignal) =>
        waitForCall(signal, (resolve) => {
          pass = () => {
            now += milliseconds
            resolve()
          }
        }),
    },
  }
}

function collectLines(lines: string[]): Writable {
  return new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
}

/** Asserts that the code of an error response is in the catalogue. */
function assertKnownCode(body: string): void {
  if (!body.startsWith('{"success":false')) return
  const { code } = Object(JSON.parse(body))
  if (code !== undefined) assert.ok(isErrorCode(String(code)), `${code} is not in the catalogue`)
}

const ENOUGH_SPACE = { available: 2 ** 40, total: 2 ** 40 }

/**
 * Hides that the PostgreSQL of the tests does not sync and that the disk of this machine may be nearly full: each would
 * raise an alert in every test of alerts.
 */
export function withoutMachine(storage: Storage): Storage {
  return {
    ...storage,
    readDurability: async () => null,
    readDiskSpace: async () => (await storage.readDiskSpace()) && ENOUGH_SPACE,
  }
}
