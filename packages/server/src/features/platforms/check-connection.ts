import type { ConnectionCheck, Manifest, PingAnswer } from '@recordhub/protocol'
import { connectionHint } from '../../domain/platform/connection-hints.ts'
import { checkPulled, formatErrors } from '../../domain/record/record-input.ts'
import { HubError } from '../../errors.ts'
import type { PlatformClient } from '../../platform-client/platform-client.ts'
import type { CallTarget } from '../../platform-client/request/send-request.ts'
import { checkSourceKey, parseSourceUrl, withoutApiPath } from '../../platform-client/source-url.ts'

export type CheckingClient = Pick<
  PlatformClient,
  'ping' | 'fetchManifest' | 'peekRecords' | 'hasSearch'
>

/** What a platform says of itself, as far as it could be read. */
export type Described = {
  /** The address that it responded at, which may be corrected; null where it was not reached. */
  source_base_url: string | null
  /** How to call it; null where nothing else would work either. */
  target: CallTarget | null
  ping: PingAnswer | null
  manifest: Manifest | null
}

/** Errors that say that the platform was not even met. */
const NOT_MET = new Set([
  'platform_address_refused',
  'platform_unreachable',
  'platform_certificate_invalid',
  'platform_timed_out',
])

/**
 * Requests a platform's ping and manifest and yields the result of each at once. Nothing is stored.
 * @param expected the name that the platform must have; null where any will do.
 * @param correctUrl whether the platform is also looked for without a path such as `/api` at the end of its address.
 */
export async function* checkDescription(
  client: Pick<PlatformClient, 'ping' | 'fetchManifest'>,
  given: CallTarget,
  {
    expected,
    correctUrl,
    signal,
  }: { expected: string | null; correctUrl: boolean; signal: AbortSignal | null },
): AsyncGenerator<ConnectionCheck, Described> {
  const nothing = { source_base_url: null, target: null, ping: null, manifest: null }
  const entered = await attempt(async () => ({
    source_base_url: parseSourceUrl(given.source_base_url),
    source_api_key: checkSourceKey(given.source_api_key),
  }))
  if (entered instanceof HubError) {
    yield failed('reachable', entered)
    return nothing
  }
  const { target, ping } = await pingPlatform(client, entered, { correctUrl, signal })
  if (ping instanceof HubError && NOT_MET.has(ping.code)) {
    yield failed('reachable', ping)
    return nothing
  }
  const server = `There is a server at ${new URL(target.source_base_url).host}.`
  const correction =
    target === entered ? '' : ` The base URL of the platform is ${target.source_base_url}.`
  yield passed('reachable', server + correction)
  if (ping instanceof HubError) yield failed('ping', ping)
  else yield passed('ping', `It says: ${ping.message}`)
  const manifest = await attempt(() => client.fetchManifest(target, signal))
  const pinged = ping instanceof HubError ? null : ping
  if (manifest instanceof HubError) yield failed('manifest', manifest)
  else yield checkNames(manifest, pinged, expected)
  const isKeyRefused = [ping, manifest].some(
    (answer) => answer instanceof HubError && answer.code === 'platform_refused_key',
  )
  return {
    source_base_url: target.source_base_url,
    target: isKeyRefused ? null : target,
    ping: pinged,
    manifest: manifest instanceof HubError ? null : manifest,
  }
}

/** @returns the target as it was given, or with the corrected address where only that one responds. */
async function pingPlatform(
  client: Pick<PlatformClient, 'ping'>,
  target: CallTarget,
  { correctUrl, signal }: { correctUrl: boolean; signal: AbortSignal | null },
): Promise<{ target: CallTarget; ping: PingAnswer | HubError }> {
  const ping = await attempt(() => client.ping(target, signal))
  const shortened = correctUrl ? withoutApiPath(target.source_base_url) : null
  if (shortened === null || !(ping instanceof HubError) || NOT_MET.has(ping.code)) {
    return { target, ping }
  }
  const corrected = { ...target, source_base_url: shortened }
  const again = await attempt(() => client.ping(corrected, signal))
  const isThere = !(again instanceof HubError) || again.code === 'platform_refused_key'
  return isThere ? { target: corrected, ping: again } : { target, ping }
}

/** Calls the records endpoints of modules, one after the other, and the search endpoint. */
export async function* checkEndpoints(
  client: Pick<PlatformClient, 'peekRecords' | 'hasSearch'>,
  target: CallTarget,
  { recordTypes, signal }: { recordTypes: string[]; signal: AbortSignal },
): AsyncGenerator<ConnectionCheck, void> {
  for (const record_type of recordTypes) {
    if (signal.aborted) return
    yield await checkRecords(client, target, { record_type, signal })
  }
  const search = await attempt(() => client.hasSearch(target, signal))
  if (search instanceof HubError) yield failed('search', search)
  else {
    const words = search
      ? 'The search endpoint answers.'
      : 'There is no search endpoint. It is optional; the hub searches what it has stored.'
    yield passed('search', words)
  }
}

async function checkRecords(
  client: Pick<PlatformClient, 'peekRecords'>,
  target: CallTarget,
  { record_type, signal }: { record_type: string; signal: AbortSignal },
): Promise<ConnectionCheck> {
  const check = `records/${record_type}`
  const begun = await attempt(() => client.peekRecords(target, record_type, signal))
  if (begun instanceof HubError) return failed(check, begun)
  const { first, total, path } = begun
  const counted = total === 1 ? '1 record' : `${total} records`
  const reported = total === null ? 'the number of records is not reported' : `${counted} reported`
  if (first === undefined) return passed(check, `OK: the list is empty; ${reported}.`, total)
  const checked = checkPulled(first)
  if (checked.outcome === 'valid') return passed(check, `OK: ${reported}.`, total)
  const reason = `in its first record ${formatErrors(checked.errors)}`
  return failed(check, new HubError('platform_answer_invalid', { path, reason }))
}

function checkNames(
  manifest: Manifest,
  ping: PingAnswer | null,
  expected: string | null,
): ConnectionCheck {
  const { platform_name: got, platform_title, modules } = manifest
  if (ping && ping.platform_name !== got) {
    const words = `The platform's ping says "${ping.platform_name}" and its manifest "${got}". Both must give the same platform_name.`
    return failed('manifest', HubError.withMessage('platform_answer_invalid', words))
  }
  if (expected !== null && expected !== got) {
    return failed('manifest', new HubError('platform_name_differs', { got, expected }))
  }
  const count = modules.length === 1 ? 'one module' : `${modules.length} modules`
  return passed('manifest', `It is ${platform_title} (${got}), with ${count}.`)
}

async function attempt<Result>(action: () => Promise<Result>): Promise<Result | HubError> {
  try {
    return await action()
  } catch (error) {
    if (error instanceof HubError) return error
    throw error
  }
}

function passed(check: string, message: string, total: number | null = null): ConnectionCheck {
  return { check, ok: true, code: null, message, advice: '', total }
}

function failed(check: string, { code, message }: HubError): ConnectionCheck {
  return { check, ok: false, code, message, advice: connectionHint(code), total: null }
}
