import type {
  ConnectionCheck,
  Manifest,
  PingResponse,
  Platform,
  ProbeResponse,
  Problem,
} from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { connectionHint } from '../../domain/platform/connection-hints.ts'
import { checkPulled, formatErrors } from '../../domain/record/record-input.ts'
import { found, HubError } from '../../errors.ts'
import { resultOf } from '../../lib/net/ndjson.ts'
import {
  checkSourceKey,
  type PlatformClient,
  parseSourceUrl,
  withoutApiPath,
} from '../../platform-client/platform-client.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { FeatureDeps } from '../feature-deps.ts'

type ConnectionTestOptions = {
  target: CallTarget
  /** The name that the platform must have; null for any. */
  expected: string | null
  /** The modules whose records endpoint is called; null for those of the manifest. */
  recordTypes: string[] | null
  /** Whether to retry with a corrected base URL. */
  correctUrl: boolean
  /** Whether the records endpoints and the search endpoint are called too. */
  checkEverything: boolean
  /** Whether the manifest is not requested either. */
  onlyPing?: boolean
}

/**
 * Requests a platform's ping, its manifest unless `onlyPing` is set and, with `checkEverything`, the beginning of each
 * records response and the search endpoint. Yields each check when it is done. Stores nothing. Ends early if no further request could succeed.
 * @returns after the checks, the response of a probe.
 */
export async function* testConnection(
  client: ConnectionTestClient,
  { target, recordTypes, checkEverything, ...options }: ConnectionTestOptions,
  signal: AbortSignal,
): AsyncGenerator<ConnectionCheck, ProbeResponse> {
  const checks: ConnectionCheck[] = []
  const description = checkDescription(client, target, { ...options, signal })
  let step = await description.next()
  while (!step.done) {
    checks.push(step.value)
    yield step.value
    step = await description.next()
  }
  const described = step.value
  const response = toProbeResponse(described, checks)
  const types = recordTypes ?? described.manifest?.modules.map((module) => module.record_type)
  if (!checkEverything || !types || !described.target) return response
  const endpoints = checkEndpoints(client, described.target, { recordTypes: types, signal })
  for await (const check of endpoints) {
    response.checks.push(check)
    yield check
  }
  return response
}

/**
 * Tests the connection to a registered platform. If the response of one of its endpoints is valid, scheduled pulls
 * no longer skip the platform.
 */
export async function* testRegistered(
  { client, platforms }: Pick<FeatureDeps, 'client' | 'platforms'>,
  { platform_id, ...tested }: ConnectionTestOptions & { platform_id: number },
  signal: AbortSignal,
): AsyncGenerator<ConnectionCheck, void> {
  let isRecorded = false
  for await (const check of testConnection(client, tested, signal)) {
    // A reachable server does not show that the platform works.
    if (!isRecorded && check.ok && check.check !== 'reachable') {
      await platforms.recordRecovery(platform_id)
      isRecorded = true
    }
    yield check
  }
}

/** Requests a platform's ping and manifest, and describes each problem. Stores nothing. */
export function probePlatform(
  client: ConnectionTestClient,
  target: CallTarget,
): Promise<ProbeResponse> {
  const options = { expected: null, recordTypes: null, correctUrl: true, checkEverything: false }
  return resultOf(testConnection(client, { target, ...options }, new AbortController().signal))
}

/** The response of a probe with these checks. Each problem is reported once. */
function toProbeResponse(
  { source_base_url, ping, manifest }: PlatformDescription,
  checks: readonly ConnectionCheck[],
): ProbeResponse {
  const problems = new Map<string, Problem>()
  for (const { code, message } of checks) {
    if (code !== null) problems.set(message, { code, message })
  }
  const success = problems.size === 0
  return {
    success,
    source_base_url,
    ping,
    manifest,
    problems: [...problems.values()],
    checks: [...checks],
  }
}

/**
 * Records in the audit log that a caller makes the hub call an address, which may be any in the hub's network. Call it
 * before the first request, so that an attempt that fails is recorded, too.
 * @param call.platform_name null before the platform is registered.
 */
export async function auditProbe(
  { activity }: Pick<FeatureDeps, 'activity'>,
  requester: Requester,
  {
    platform_name,
    source_base_url,
    ...details
  }: { platform_name: string | null; source_base_url: string } & Record<string, unknown>,
): Promise<void> {
  const url = URL.parse(source_base_url)
  // The hub does not call it.
  if (!url) return
  await activity.appendAudit({
    ...requester,
    action: 'platform.probe',
    target: platform_name,
    // A user name, a password or a query is rejected, and may contain a key.
    details: { source_base_url: (url.origin + url.pathname).replace(/\/$/, ''), ...details },
  })
}

/**
 * Reads a registered platform with its base URL and source API key.
 * @throws HubError `not_found`.
 */
export async function readTarget(
  { platforms, secrets }: Pick<FeatureDeps, 'platforms' | 'secrets'>,
  platformId: number,
): Promise<{ platform: Platform; target: CallTarget }> {
  const source = found('platform', await platforms.readSource(platformId))
  const platform = found('platform', await platforms.readPlatform(platformId))
  const { source_base_url, encrypted_source_key } = source
  const source_api_key = secrets.decrypt(encrypted_source_key, SOURCE_KEY_PURPOSE)
  return { platform, target: { source_base_url, source_api_key } }
}

type ConnectionTestClient = Pick<
  PlatformClient,
  'ping' | 'fetchManifest' | 'peekRecords' | 'search'
>

/** The ping response and the manifest of a platform, as far as they could be read. */
type PlatformDescription = {
  /** The base URL at which it responded, which may be corrected; null if it was not reached. */
  source_base_url: string | null
  /** The target of further requests; null if they would fail, too. */
  target: CallTarget | null
  ping: PingResponse | null
  manifest: Manifest | null
}

/** Errors that mean that no server was reached. */
const NOT_REACHED = new Set([
  'platform_address_rejected',
  'platform_unreachable',
  'platform_certificate_invalid',
  'platform_timed_out',
])

/**
 * Requests a platform's ping and, unless `onlyPing` is set, its manifest, and yields the result of each at once. Nothing is
 * stored.
 * @param expected the name that the platform must have; null for any.
 * @param correctUrl whether to retry without a path such as `/api` at the end of the base URL.
 */
export async function* checkDescription(
  client: Pick<PlatformClient, 'ping' | 'fetchManifest'>,
  given: CallTarget,
  options: {
    expected: string | null
    correctUrl: boolean
    onlyPing?: boolean
    signal: AbortSignal
  },
): AsyncGenerator<ConnectionCheck, PlatformDescription> {
  const { expected, correctUrl, onlyPing = false, signal } = options
  const nothing = { source_base_url: null, target: null, ping: null, manifest: null }
  const { result: entered } = await attempt(async () => ({
    source_base_url: parseSourceUrl(given.source_base_url),
    source_api_key: checkSourceKey(given.source_api_key),
  }))
  if (entered instanceof HubError) {
    yield failed('reachable', entered)
    return nothing
  }
  const warnings: string[] = []
  const warn = (warning: string) => void warnings.push(warning)
  /** The warnings since the last call, after a message. */
  const takeWarnings = () =>
    warnings
      .splice(0)
      .map((warning) => ` ${warning}`)
      .join('')
  const { target, ping, took_ms } = await pingPlatform(client, entered, {
    correctUrl,
    signal,
    warn,
  })
  if (ping instanceof HubError && NOT_REACHED.has(ping.code)) {
    yield failed('reachable', ping, took_ms)
    return nothing
  }
  const server = `There is a server at ${new URL(target.source_base_url).host}.`
  const correction =
    target === entered ? '' : ` The base URL of the platform is ${target.source_base_url}.`
  yield passed('reachable', server + correction)
  if (ping instanceof HubError) yield failed('ping', ping, took_ms)
  else yield passed('ping', `Message: ${ping.message}${takeWarnings()}`, { took_ms })
  const pinged = ping instanceof HubError ? null : ping
  if (onlyPing) {
    const { source_base_url } = target
    return { source_base_url, target: null, ping: pinged, manifest: null }
  }
  const fetched = await attempt(() => client.fetchManifest(target, signal, warn))
  const manifest = fetched.result
  if (manifest instanceof HubError) yield failed('manifest', manifest, fetched.took_ms)
  else {
    const checked = checkNames(manifest, pinged, expected)
    const message = `${checked.message}${takeWarnings()}`
    yield { ...checked, message, took_ms: fetched.took_ms }
  }
  const isKeyRejected = [ping, manifest].some(
    (result) => result instanceof HubError && result.code === 'platform_rejected_key',
  )
  return {
    source_base_url: target.source_base_url,
    target: isKeyRejected ? null : target,
    ping: pinged,
    manifest: manifest instanceof HubError ? null : manifest,
  }
}

/** @returns the given target, or the one with the corrected base URL if only that one responds. */
async function pingPlatform(
  client: Pick<PlatformClient, 'ping'>,
  target: CallTarget,
  options: { correctUrl: boolean; signal: AbortSignal; warn: (warning: string) => void },
): Promise<{ target: CallTarget; ping: PingResponse | HubError; took_ms: number }> {
  const { correctUrl, signal, warn } = options
  const first = await attempt(() => client.ping(target, signal, warn))
  const ping = first.result
  const given = { target, ping, took_ms: first.took_ms }
  const shortened = correctUrl ? withoutApiPath(target.source_base_url) : null
  if (shortened === null || !(ping instanceof HubError) || NOT_REACHED.has(ping.code)) {
    return given
  }
  const corrected = { ...target, source_base_url: shortened }
  const second = await attempt(() => client.ping(corrected, signal, warn))
  const retried = second.result
  const isFound = !(retried instanceof HubError) || retried.code === 'platform_rejected_key'
  return isFound ? { target: corrected, ping: retried, took_ms: second.took_ms } : given
}

/** Requests the records endpoints of modules one after the other, then the search endpoint. */
async function* checkEndpoints(
  client: Pick<PlatformClient, 'peekRecords' | 'search'>,
  target: CallTarget,
  { recordTypes, signal }: { recordTypes: string[]; signal: AbortSignal },
): AsyncGenerator<ConnectionCheck, void> {
  for (const record_type of recordTypes) {
    if (signal.aborted) return
    yield await checkRecords(client, target, { record_type, signal })
  }
  const { result: search, took_ms } = await attempt(() =>
    client.search(target, 'recordhub', signal),
  )
  if (search instanceof HubError) yield failed('search', search, took_ms)
  else {
    const message =
      search === null
        ? 'There is no search endpoint. It is optional: the hub searches its own records.'
        : 'The search endpoint responds.'
    yield passed('search', message, { took_ms })
  }
}

async function checkRecords(
  client: Pick<PlatformClient, 'peekRecords'>,
  target: CallTarget,
  { record_type, signal }: { record_type: string; signal: AbortSignal },
): Promise<ConnectionCheck> {
  const check = `records/${record_type}`
  const { result: peek, took_ms } = await attempt(() =>
    client.peekRecords(target, record_type, signal),
  )
  if (peek instanceof HubError) return failed(check, peek, took_ms)
  const { first, total, path, warning } = peek
  const counted = total === 1 ? '1 record' : `${total} records`
  const reported = total === null ? 'the number of records is not reported' : `${counted} reported`
  const note = warning === null ? '' : ` ${warning}`
  const read = { total, took_ms }
  if (first === undefined) return passed(check, `OK: the list is empty; ${reported}.${note}`, read)
  const checked = checkPulled(first)
  if (checked.outcome === 'valid') return passed(check, `OK: ${reported}.${note}`, read)
  const reason = `in its first record ${formatErrors(checked.errors)}`
  return failed(check, new HubError('platform_response_invalid', { path, reason }), took_ms)
}

function checkNames(
  manifest: Manifest,
  ping: PingResponse | null,
  expected: string | null,
): ConnectionCheck {
  const { platform_name: got, platform_title, modules } = manifest
  if (ping && ping.platform_name !== got) {
    const message = `The platform_name is "${ping.platform_name}" in the ping response and "${got}" in the manifest. Both must be the same.`
    return failed('manifest', HubError.withMessage('platform_response_invalid', message))
  }
  if (expected !== null && expected !== got) {
    return failed('manifest', new HubError('platform_name_differs', { got, expected }))
  }
  const count = modules.length === 1 ? 'one module' : `${modules.length} modules`
  return passed('manifest', `It is ${platform_title} (${got}), with ${count}.`)
}

/** Returns the result of an action, or its error, and how long it took. */
async function attempt<Result>(
  action: () => Promise<Result>,
): Promise<{ result: Result | HubError; took_ms: number }> {
  const start = performance.now()
  const took = (result: Result | HubError) => {
    return { result, took_ms: Math.round(performance.now() - start) }
  }
  try {
    return took(await action())
  } catch (error) {
    if (error instanceof HubError) return took(error)
    throw error
  }
}

type Read = { total?: number | null; took_ms?: number }

function passed(check: string, message: string, read: Read = {}): ConnectionCheck {
  const { total = null, took_ms = null } = read
  const hint = { cause: '', fix: '', suggested_base_url: null }
  return { check, ok: true, code: null, message, ...hint, total, took_ms }
}

function failed(
  check: string,
  { code, message, suggestedBaseUrl }: HubError,
  took_ms: number | null = null,
): ConnectionCheck {
  const hint = { ...connectionHint(code), suggested_base_url: suggestedBaseUrl ?? null }
  return { check, ok: false, code, message, ...hint, total: null, took_ms }
}
