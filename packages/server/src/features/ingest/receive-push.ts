import type { PushResponse } from '@recordhub/protocol'
import { HUB_KEY_PREFIX, keyRejected, SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { redactKeys, redactText } from '../../domain/platform/redact-keys.ts'
import { type Drift, describeDrift, findDrift, rejectDrift } from '../../domain/record/drift.ts'
import type { NewerWrite } from '../../domain/record/record.ts'
import {
  checkPushBody,
  formatErrors,
  limitKeys,
  type PushBody,
  type PushInput,
  recordTypeOf,
} from '../../domain/record/record-input.ts'
import { type ErrorCode, formatMessage, HubError, heldPushesFull } from '../../errors.ts'
import { Batcher } from '../../lib/concurrency/batcher.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { isRandomKey } from '../../lib/crypto/random-key.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import { shortenRfc3339 } from '../../lib/time/rfc3339.ts'
import type { Span } from '../../lib/tracing/tracer.ts'
import type { AuthenticatedPlatform, PlatformStore } from '../../storage/port/platform-store.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'
import type { NewRejectedPush, RejectedPushStore } from '../../storage/port/rejected-push-store.ts'
import type { Ingest } from './ingest.ts'

type PushRequest = {
  method: 'POST' | 'PATCH'
  body: PushBody
  key: string
  platform: AuthenticatedPlatform
  request_id: string
  /** Null if the push is not traced. */
  span: Span | null
}

export type ReceivePush = (request: PushRequest) => Promise<{
  status: 200 | 201
  body: PushResponse
  record: Pick<PushInput, 'record_type' | 'reference_number'>
}>

/**
 * Receives one push (specification 4.1): validates it, stores it, and responds when it is durable. A push that is
 * rejected for its content is saved with the reason.
 */
export function createReceivePush(deps: {
  ingest: Pick<Ingest, 'push' | 'maxRecordKeys'>
  rejectedPushSaver: RejectedPushSaver
  authenticator: Pick<PlatformAuthenticator, 'refresh' | 'reject'>
  clock: Clock
}): ReceivePush {
  const { ingest, rejectedPushSaver, authenticator, clock } = deps

  async function reject(request: PushRequest, error: HubError): Promise<never> {
    // Nothing is saved for a key that another node has revoked in the meantime.
    if (!(await authenticator.refresh(request.key))) throw await authenticator.reject(request.key)
    const { method, platform, request_id } = request
    await saveRejected(request, error, {
      activity: {
        level: 'warning',
        kind: 'push.rejected',
        message: `Rejected push from ${platform.display_title}: ${error.message}`,
        platform,
        details: { method, code: error.code, request_id },
      },
    })
    throw error
  }

  function saveRejected(
    request: PushRequest,
    error: HubError,
    { activity, position = null }: Pick<NewRejectedPush, 'activity'> & Partial<NewRejectedPush>,
  ): Promise<boolean> {
    return rejectedPushSaver.save({
      platform_id: request.platform.platform_id,
      record_type: recordTypeOf(request.body.value),
      method: request.method,
      code: error.code,
      message: error.message,
      errors: error.errors ?? {},
      body: JSON.stringify(request.body.value) ?? 'null',
      pull_id: null,
      request_id: request.request_id,
      position,
      activity,
    })
  }

  return async (request) => {
    const { span } = request
    const begun = span && performance.now()
    const body = checkPushBody(request.method, request.body, clock.now())
    const checked = limitKeys(body, ingest.maxRecordKeys)
    if (checked.outcome === 'invalid') {
      const reason = formatErrors(checked.errors)
      return reject(request, new HubError('invalid_record', { reason }, { errors: checked.errors }))
    }
    const { input } = checked
    const module =
      findModule(request.platform, input) ??
      findModule(await authenticator.refresh(request.key), input)
    if (!module) return reject(request, moduleNotRegistered(input))
    const isWhole = request.method === 'POST'
    const drift = findDrift(input.members, module.manifest_keys, { isWhole })
    const rejected = rejectDrift(drift, module.drift_policy)
    if (rejected) {
      const { reason, errors } = rejected
      return reject(request, new HubError('drift_rejected', { reason }, { errors }))
    }
    const { full_name, data, occurred_at, record_type, reference_number } = input
    const write = {
      platform_id: request.platform.platform_id,
      hub_key_id: request.platform.hub_key_id,
      record_type,
      reference_number,
      request_id: request.request_id,
      content: { source: request.method, full_name, data, occurred_at },
    }
    if (begun !== null) span?.addChild('validate', begun, performance.now())
    const written = await ingest.push(drift ? { ...write, drift } : write, span)
    if (written.outcome !== 'rejected') {
      // What was left out is kept: an operator may replay it. The activity has the push already.
      if (written.is_held) {
        const { position = null } = written
        const isKept = await saveRejected(request, new HubError('held'), {
          activity: null,
          position,
        })
        if (!isKept) throw heldPushesFull()
      }
      return {
        status: written.outcome === 'created' ? 201 : 200,
        body: toResponse(request, written, warningsOf(request, { input, written, drift })),
        record: { record_type, reference_number },
      }
    }
    // A push of an erased record is not saved.
    if (written.code === 'record_erased') throw new HubError('record_erased')
    await authenticator.refresh(request.key)
    if (written.code === 'api_key_invalid') throw await authenticator.reject(request.key)
    return reject(
      request,
      written.code === 'module_not_registered'
        ? moduleNotRegistered(input)
        : new HubError(written.code satisfies ErrorCode),
    )
  }
}

function findModule(platform: AuthenticatedPlatform | null, { record_type }: PushInput) {
  return platform?.modules.find((module) => module.record_type === record_type)
}

function moduleNotRegistered({ record_type }: PushInput): HubError {
  const errors = { record_type: [formatMessage('module_not_registered', { record_type })] }
  return new HubError('module_not_registered', { record_type }, { errors })
}

type Written = Exclude<WriteOutcome, { outcome: 'rejected' }>

/** What the outcome does not say. Most pushes have no warnings. */
function warningsOf(
  { method, platform }: PushRequest,
  { input, written, drift }: { input: PushInput; written: Written; drift: Drift | null },
): string[] {
  const { module_name, platform_name } = input
  const warnings = [...input.warnings]
  if (written.newer) warnings.push(describeNewer(written.newer))
  if (written.is_held) warnings.push(HELD)
  if (method === 'PATCH' && written.outcome === 'created') warnings.push(INCOMPLETE)
  if (module_name !== null && module_name !== written.module_name) {
    warnings.push(
      `module_name differs from the registered one, ${JSON.stringify(written.module_name)}. The hub ignores it: record_type identifies the module.`,
    )
  }
  if (platform_name !== null && platform_name !== platform.platform_name) {
    warnings.push(
      `platform_name differs from that of the hub API key, ${JSON.stringify(platform.platform_name)}. The hub ignores it: the key identifies the platform.`,
    )
  }
  if (drift !== null) warnings.push(...describeDrift(drift).map((issue) => `data ${issue}`))
  if (platform.expires_at !== null) {
    warnings.push(
      `This hub API key was replaced and is valid until ${platform.expires_at}. Use the new key.`,
    )
  }
  return warnings
}

const HELD =
  'Values of this record were taken back in the hub. It leaves them as they are until the platform sends other values, and keeps this push for its operators.'

const INCOMPLETE =
  'The hub did not have this record. It has created it with the fields of this PATCH only, as incomplete, until a POST or a pull contains the rest.'

function describeNewer({ source, at }: NewerWrite): string {
  const time = shortenRfc3339(at)
  return source === 'pull'
    ? `Nothing was changed: a pull that contained this record was requested at ${time}, after occurred_at.`
    : `Nothing was changed: a push with the later occurred_at ${time} has set these values.`
}

const MESSAGES = {
  created: 'New record received from',
  updated: 'Record updated from',
  unchanged: 'Record received again, unchanged, from',
  stale: 'A newer version of this record stays; this older one was received from',
  held: 'The record was left as it is: its values were taken back. They were received again from',
} as const

function toResponse(request: PushRequest, written: Written, warnings: string[]): PushResponse {
  const { platform, method } = request
  const response: PushResponse = {
    success: true,
    message: `${MESSAGES[written.outcome]} ${platform.display_title}.`,
    method,
    platform_name: platform.platform_name,
    module_name: written.module_name,
    record_id: written.record_id,
    outcome: written.outcome,
  }
  return warnings.length > 0 ? { ...response, warnings } : response
}

const MAX_CACHED = 10_000

/**
 * Finds the platform of a hub API key. The cache only saves look-ups: the write path checks the key, the platform and
 * the module again in its own transaction.
 */
export type PlatformAuthenticator = {
  /** Returns the platform of a key that was found before; null if it must be looked up. */
  findCached: (key: string) => AuthenticatedPlatform | null
  /** Returns the platform of a key; null for an invalid key. */
  find: (key: string) => Promise<AuthenticatedPlatform | null>
  /** Looks up a key without the cache. */
  refresh: (key: string) => Promise<AuthenticatedPlatform | null>
  /** Creates the error of an invalid key. @param hasAuthorization whether the request has the header `Authorization`. */
  reject: (key: string, hasAuthorization?: boolean) => Promise<HubError>
}

export function createPlatformAuthenticator(deps: {
  platforms: Pick<PlatformStore, 'findPlatformByKey' | 'findFormerKey' | 'onChange'>
  clock: Clock
}): PlatformAuthenticator {
  const { platforms, clock } = deps
  const cached = new Map<string, AuthenticatedPlatform>()
  /** Pushes that arrive at the same time share a look-up. */
  const pending = new Map<string, Promise<AuthenticatedPlatform | null>>()
  platforms.onChange(() => {
    cached.clear()
    // The result of a pending look-up may be older than the change.
    pending.clear()
  })
  async function lookUp(key: string): Promise<AuthenticatedPlatform | null> {
    const lookingUp = platforms.findPlatformByKey(sha256(key), clock.now().toISOString())
    pending.set(key, lookingUp)
    const isNewest = () => pending.get(key) === lookingUp
    try {
      const platform = await lookingUp
      if (platform && isNewest()) {
        if (cached.size >= MAX_CACHED) cached.clear()
        cached.set(key, platform)
      }
      return platform
    } finally {
      if (isNewest()) pending.delete(key)
    }
  }
  function refresh(key: string): Promise<AuthenticatedPlatform | null> {
    cached.delete(key)
    return lookUp(key)
  }
  /** The expiry of a key is not published as a change. */
  const isValid = ({ expires_at }: AuthenticatedPlatform) =>
    expires_at === null || expires_at > clock.now().toISOString()
  function findCached(key: string): AuthenticatedPlatform | null {
    const platform = cached.get(key)
    return platform && isValid(platform) ? platform : null
  }
  return {
    findCached,
    refresh,
    async reject(key, hasAuthorization) {
      const former = isRandomKey(key, HUB_KEY_PREFIX)
        ? await platforms.findFormerKey(sha256(key))
        : null
      return keyRejected(key, former, hasAuthorization)
    },
    async find(key) {
      const platform = findCached(key)
      if (platform) return platform
      // The checksum of a key rejects invented ones without a look-up.
      if (!isRandomKey(key, HUB_KEY_PREFIX)) return null
      return pending.get(key) ?? lookUp(key)
    },
  }
}

/** Maximum size of the rejected bodies of a platform. The oldest ones are deleted first, and no held one that waits. */
const QUOTA_BYTES = 50 * 1024 * 1024

/** Saves rejected pushes and pulled records so that operators can fix and replay them, many in one commit. */
export type RejectedPushSaver = {
  /**
   * Saves a rejected push without keys: those of the hub, values whose name is that of a key, and the source API key of
   * the platform. `http/request-bodies.ts` limits how many pushes wait, and a pull waits before it reads further records.
   * @returns false for a held push that there is no room for.
   */
  save: (rejected: NewRejectedPush) => Promise<boolean>
}

export function createRejectedPushSaver(deps: {
  rejectedPushes: Pick<RejectedPushStore, 'saveRejectedPushes'>
  platforms: Pick<PlatformStore, 'readSource'>
  secrets: SecretBox
  clock: Clock
  dayOf: (at: Date) => string
}): RejectedPushSaver {
  const { rejectedPushes, clock, dayOf } = deps
  const batcher = new Batcher<NewRejectedPush, boolean>({
    async handle(rejected) {
      const ids = [...new Set(rejected.map(({ platform_id }) => platform_id))]
      const keys = new Map(
        await Promise.all(ids.map(async (id) => [id, await readSourceKey(deps, id)] as const)),
      )
      const redacted = rejected.map((one) => withoutKeys(one, [keys.get(one.platform_id) ?? '']))
      const now = clock.now()
      const isKept = await rejectedPushes.saveRejectedPushes(redacted, {
        at: now.toISOString(),
        day: dayOf(now),
        quotaBytes: QUOTA_BYTES,
      })
      return isKept.map((value) => ({ value }))
    },
    maxBatch: 100,
  })
  return {
    save: (rejected) => batcher.add(rejected),
  }
}

/** Returns the source API key of a platform; "" if it has none, or if it cannot be decrypted. */
export async function readSourceKey(
  { platforms, secrets }: { platforms: Pick<PlatformStore, 'readSource'>; secrets: SecretBox },
  platformId: number,
): Promise<string> {
  const source = await platforms.readSource(platformId)
  try {
    return source ? secrets.decrypt(source.encrypted_source_key, SOURCE_KEY_PURPOSE) : ''
  } catch {
    return ''
  }
}

function withoutKeys(rejected: NewRejectedPush, keys: string[]): NewRejectedPush {
  const redact = (text: string) => redactText(text, keys)
  const { record_type, message, errors, body, activity } = rejected
  const redactedErrors = Object.entries(errors).map(([member, messages]) => [
    redact(member),
    messages.map(redact),
  ])
  return {
    ...rejected,
    record_type: record_type === null ? null : redact(record_type),
    message: redact(message),
    errors: Object.fromEntries(redactedErrors),
    body: redactKeys(body, keys),
    activity: activity && { ...activity, message: redact(activity.message) },
  }
}
