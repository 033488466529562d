import type { ConnectionCheck, Platform, ProbeResponse, Problem } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { found } from '../../errors.ts'
import { resultOf } from '../../lib/net/ndjson.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import {
  type ConnectionTestClient,
  checkDescription,
  checkEndpoints,
  type PlatformDescription,
} from './check-connection.ts'

export type ConnectionTestOptions = {
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
