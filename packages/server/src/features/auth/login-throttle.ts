/**
 * Delays repeated attempts to sign in. The counts are shared by all nodes and survive restarts;
 * docs/decisions/0013-login-throttle.md gives the reasons.
 */
import type { FastifyRequest } from 'fastify'
import {
  type AttemptCounts,
  attemptsBeforeWait,
  type Bucket,
  isAudited,
  secondsUntilAllowed,
  type ThrottlePolicy,
} from '../../domain/auth/login-throttle.ts'
import { busy, HubError, tooManyRequests } from '../../errors.ts'
import { createLane, type Lane } from '../../lib/concurrency/admission.ts'
import { hmacSha256 } from '../../lib/crypto/hash.ts'
import { clientSite, clientSubnet } from '../../lib/net/client-subnet.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import type { TrustedDevices } from './second-factor-policy.ts'

/** An attempt to sign in, before anyone is authenticated. */
type SignInAttempt = {
  credential: 'password' | 'code' | 'recovery code'
  email: string
  request: FastifyRequest
}

export type LoginThrottle = {
  /**
   * Runs a step of a sign-in. A response with status 401 is a failed attempt, and says how many more are free: an account
   * that does not exist is counted like one that does.
   * @throws HubError `too_many_requests` if the client has to wait, `busy` if too many passwords are being verified.
   */
  signIn: (attempt: SignInAttempt, step: () => Promise<Response>) => Promise<Response>
  /**
   * Runs a step in which a signed-in operator enters a password or code again.
   * @throws HubError `too_many_requests`, `busy`, and the errors of `step`.
   */
  reauthenticate: <Result>(sessionId: string, step: () => Promise<Result>) => Promise<Result>
  /** Waits for the audit log entries in progress. */
  waitForPending: () => Promise<void>
}

/** The keys of the buckets that an attempt is counted in: hashes of what the attempts of a bucket have in common. */
type Buckets = { client: string; global: string } & Partial<Record<Bucket, string>>

/** How an attempt ended; `void` if the credential was neither accepted nor wrong, such as after an error. */
type Outcome = 'succeeded' | 'failed' | 'void'

/**
 * Verifying a password takes 0.2 s of a processor on one of the four threads that Node.js also reads files with. A flood
 * of attempts from new clients delays neither known devices nor those who are signed in.
 */
const NEW_CLIENTS = { concurrent: 2, places: 32 }
const KNOWN_CLIENTS = { concurrent: 1, places: 16 }
const BUSY_SECONDS = 1

export function createLoginThrottle(
  deps: Pick<FeatureDeps, 'loginThrottle' | 'operators' | 'activity' | 'clock' | 'log'> & {
    devices: TrustedDevices
    /** Derives the keys of the buckets, so that neither e-mail addresses nor IP addresses are stored. */
    key: Uint8Array
  },
): LoginThrottle {
  const { loginThrottle: store, operators, activity, devices, clock } = deps
  const pending = new Set<Promise<void>>()
  const hash = (...parts: string[]) => hmacSha256(deps.key, JSON.stringify(parts))
  const globalKey = hash('global')
  const newClients = createLane(NEW_CLIENTS)
  const knownClients = createLane(KNOWN_CLIENTS)
  const logError = (error: unknown) =>
    deps.log.error({ err: error }, 'a sign-in attempt could not be recorded')

  /**
   * Counts an attempt in its buckets, runs it, and adjusts the counts to its outcome: a failed attempt stays counted,
   * any other is refunded, and a successful one also resets the bucket of its client.
   */
  async function runAttempt<Result>(
    policy: ThrottlePolicy,
    buckets: Buckets,
    step: () => Promise<Result>,
    outcomeOf: (result: PromiseSettledResult<Result>, counts: AttemptCounts) => Outcome,
  ): Promise<Result> {
    const counts = await count(policy, buckets)
    const [result] = await Promise.allSettled([step()])
    const outcome = outcomeOf(result, counts)
    if (result.status === 'rejected') {
      // The error of the step matters more than an error of its refund.
      if (outcome === 'void') await refund(buckets).catch(logError)
      throw result.reason
    }
    if (outcome === 'void') await refund(buckets)
    if (outcome === 'succeeded') await resetClient(buckets)
    return result.value
  }

  async function count(policy: ThrottlePolicy, buckets: Buckets): Promise<AttemptCounts> {
    const now = clock.now()
    const keys = Object.values(buckets)
    const counted = await store.countAttempt(keys, now.toISOString(), (counts) =>
      secondsUntilAllowed(policy, countsOf(buckets, counts), now),
    )
    if (counted.outcome === 'wait') throw tooManyRequests(counted.seconds)
    return countsOf(buckets, counted.counts)
  }

  function refund(buckets: Buckets): Promise<void> {
    return store.refundAttempt({ reset: [], refund: Object.values(buckets) })
  }

  function resetClient({ client, ...others }: Buckets): Promise<void> {
    return store.refundAttempt({ reset: [client], refund: Object.values(others) })
  }

  /**
   * Records a failed sign-in in the audit log, unless `isAudited` skips it. Runs after the response, whose timing must
   * not reveal whether the account exists.
   */
  function auditFailure(
    { credential, email, request }: SignInAttempt,
    { account, global }: AttemptCounts,
  ): void {
    const audit = async () => {
      const isOperator = (await operators.listOperators()).some((one) => one.email === email)
      const attempts = account?.attempts ?? 1
      if (!isAudited(isOperator ? attempts : (global?.attempts ?? 0))) return
      // An unknown e-mail address is not recorded: it may be a password in the wrong field.
      const target = isOperator ? email : null
      await activity.appendAudit({
        actor: target ?? 'unknown user',
        action: 'session.reject',
        target,
        address: request.ip,
        details: { method: credential, attempts },
      })
    }
    const auditing = audit().catch(logError)
    pending.add(auditing)
    void auditing.then(() => pending.delete(auditing))
  }

  function setLimitHeaders(
    { headers }: Response,
    policy: ThrottlePolicy,
    counts: AttemptCounts,
  ): void {
    const now = clock.now()
    const seconds = secondsUntilAllowed(policy, counts, now)
    headers.set('RateLimit-Remaining', String(attemptsBeforeWait(policy, counts, now)))
    if (seconds > 0) headers.set('Retry-After', String(seconds))
  }

  return {
    signIn({ credential, email: entered, request }, step) {
      const email = entered.toLowerCase()
      const device = devices.find(request, email)
      const subnet = clientSubnet(request.ip)
      const site = clientSite(request.ip)
      const client = device === null ? ['subnet', subnet] : ['device', device]
      const buckets = {
        client: hash(credential, 'client', email, ...client),
        subnet: hash(credential, 'subnet', subnet),
        ...(site === null ? {} : { site: hash(credential, 'site', site) }),
        account: hash(credential, 'account', email),
        global: globalKey,
      }
      // A recovery code is as long as a good password.
      const policy = credential === 'code' ? 'code' : 'password'
      const applied = device === null ? policy : 'trusted_device'
      const attempt = () =>
        runAttempt(applied, buckets, step, (result, counts) => {
          if (result.status === 'rejected') return 'void'
          if (result.value.ok) return 'succeeded'
          if (result.value.status !== 401) return 'void'
          auditFailure({ credential, email, request }, counts)
          setLimitHeaders(result.value, applied, counts)
          return 'failed'
        })
      if (credential !== 'password') return attempt()
      return device === null
        ? runIn(newClients, site ?? subnet, attempt)
        : runIn(knownClients, device, attempt)
    },

    reauthenticate(sessionId, step) {
      const buckets = { client: hash('session', sessionId), global: globalKey }
      return runIn(knownClients, sessionId, () =>
        runAttempt('reauthentication', buckets, step, (result) => {
          if (result.status === 'fulfilled') return 'succeeded'
          return isWrongCredential(result.reason) ? 'failed' : 'void'
        }),
      )
    },

    async waitForPending() {
      await Promise.all(pending)
    },
  }
}

/** @throws HubError `busy` if too many attempts wait. */
async function runIn<Result>(
  lane: Lane,
  owner: string,
  attempt: () => Promise<Result>,
): Promise<Result> {
  const result = lane(owner, attempt)
  if (result === null) throw busy(BUSY_SECONDS)
  return result
}

function countsOf(
  { client, subnet, site, account, global }: Buckets,
  counts: ReadonlyMap<string, { attempts: number; at: string }>,
): AttemptCounts {
  const countOf = (key: string | undefined) => counts.get(key ?? '') ?? null
  return {
    client: countOf(client),
    subnet: countOf(subnet),
    site: countOf(site),
    account: countOf(account),
    global: countOf(global),
  }
}

function isWrongCredential(error: unknown): boolean {
  return (
    error instanceof HubError && (error.code === 'password_wrong' || error.code === 'code_wrong')
  )
}
