import type { Replay } from '@recordhub/protocol'
import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import type { Requester } from '../../domain/activity/activity.ts'
import { REMOVED_KEY } from '../../domain/platform/redact-keys.ts'
import { type Drift, findDrift, manifestKeysOf, refuseDrift } from '../../domain/record/drift.ts'
import { checkPulled, checkPush, faultsInWords } from '../../domain/record/record-input.ts'
import type { ReplayedContent } from '../../domain/record/replay.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'
import type { Refusal, RejectedPushStore } from '../../storage/port/rejected-push-store.ts'
import type { Ingest } from './ingest.ts'

export type ReplayParts = {
  platforms: Pick<PlatformStore, 'readPlatform'>
  rejectedPushes: Pick<RejectedPushStore, 'readRefusal' | 'listRefusals'>
  activity: Pick<ActivityStore, 'appendAudit'>
  ingest: Pick<Ingest, 'replay'>
  clock: Clock
}

/** Who asks, for the audit, and with which request. */
export type ReplayRequester = Requester & { request_id: string }

/**
 * Has a refused write stored after all, as it was kept or with another body. It is checked as any other
 * write is, stands where it stood when it came, and is done once.
 * @throws HubError `not_found`, and where it is refused again and is no dry run, why.
 */
export async function replayRejectedPush(
  parts: ReplayParts,
  request: { id: number; body: unknown; isDryRun: boolean; overwrite: boolean },
  { request_id, ...requester }: ReplayRequester,
): Promise<Replay> {
  const { id, body, isDryRun, overwrite } = request
  const kept = await parts.rejectedPushes.readRefusal(id)
  const refusal = kept && (await meantFor(parts, kept, body))
  if (!refusal) throw new HubError('not_found', { what: 'rejected push' })
  if (!isDryRun) {
    const details = { rejected_push_id: id, mended: body !== undefined, overwrite }
    await parts.activity.appendAudit({
      ...requester,
      action: 'rejected_push.replay',
      target: refusal.platform_name,
      details,
    })
  }
  const { actor } = requester
  const how = { isDryRun, overwrite, request_id, actor }
  const [replayed] = await replayAll(parts, [{ refusal, body }], how)
  if (!replayed) throw new Error('A replay has no outcome')
  if (replayed.error && !isDryRun) throw replayed.error
  return replayed.replay
}

/** A push that was mended may be for another module, by whose manifest it is judged. */
async function meantFor(
  { platforms }: Pick<ReplayParts, 'platforms'>,
  refusal: Refusal,
  mended: unknown,
): Promise<Refusal> {
  const record_type = isJsonObject(mended) ? mended['record_type'] : undefined
  if (refusal.method === 'pull' || typeof record_type !== 'string') return refusal
  if (record_type === refusal.record_type) return refusal
  const platform = await platforms.readPlatform(refusal.platform_id)
  const module = platform?.modules.find((one) => one.record_type === record_type)
  const { fields = null, drift_policy = null } = module ?? {}
  return { ...refusal, record_type, fields, drift_policy }
}

export type ReplayOptions = {
  isDryRun: boolean
  overwrite: boolean
  request_id: string
  actor: string
}

type Replayed = { replay: Replay; error: HubError | null }

/** Replays several in their order, in one transaction; each is refused alone. */
export async function replayAll(
  { ingest, clock }: Pick<ReplayParts, 'ingest' | 'clock'>,
  requests: { refusal: Refusal; body?: unknown }[],
  { isDryRun, overwrite, request_id, actor }: ReplayOptions,
): Promise<Replayed[]> {
  const checked = requests.map(({ refusal, body }) => ({
    refusal,
    record: checkRefusal(refusal, body, clock.now()),
  }))
  const writes = checked.flatMap(({ refusal, record }) => {
    const { platform_id, rejected_push_id } = refusal
    const replay = { rejected_push_id, overwrite, actor }
    return record instanceof HubError ? [] : [{ platform_id, ...record, request_id, replay }]
  })
  const outcomes = writes.length > 0 ? await ingest.replay(writes, { isDryRun }) : []
  const written = outcomes.values()
  const created = new Set<number | null>()
  return checked.map(({ refusal, record }) => {
    const id = refusal.rejected_push_id
    if (record instanceof HubError) return describeError(id, record)
    const { value } = written.next()
    if (!value) throw new Error('A replay has no outcome')
    const described = describeOutcome(id, value, record.record_type)
    const { outcome, record_id } = described.replay
    if (outcome === 'created') created.add(record_id)
    // In a dry run a new record has no number that would hold.
    if (isDryRun && created.has(record_id)) described.replay.record_id = null
    return described
  })
}

type CheckedRecord = {
  record_type: string
  reference_number: string
  content: ReplayedContent
  drift?: Drift
}

/** What the body says as a record; an error where it says none that may be stored. */
function checkRefusal(refusal: Refusal, mended: unknown, now: Date): CheckedRecord | HubError {
  if (mended === undefined && refusal.body.includes(REMOVED_KEY)) {
    return new HubError('key_was_removed')
  }
  const body = mended === undefined ? parseLossless(refusal.body) : mended
  const record = readRecord(refusal, body, now)
  const { fields, drift_policy } = refusal
  if (record instanceof HubError || !fields) return record
  const { source, data } = record.content
  const drift = findDrift(data, manifestKeysOf(fields), { isWhole: source !== 'PATCH' })
  const refused = refuseDrift(drift, drift_policy ?? 'accept')
  if (refused) {
    const { reason, errors } = refused
    return new HubError('drift_rejected', { reason }, { errors })
  }
  return drift ? { ...record, drift } : record
}

function readRecord(
  { method, record_type, fields }: Refusal,
  body: unknown,
  now: Date,
): CheckedRecord | HubError {
  if (method !== 'pull') {
    const checked = checkPush(method, body, now)
    if (checked.outcome === 'invalid') return invalidRecord(checked.errors)
    const { full_name, data, occurred_at, ...named } = checked.input
    const content = { source: method, full_name, data, occurred_at }
    const { record_type, reference_number } = named
    return { record_type, reference_number, content }
  }
  const checked = checkPulled(body)
  if (checked.outcome === 'invalid') return invalidRecord(checked.errors)
  if (record_type === null || fields === null) {
    return new HubError('module_not_registered', { record_type: record_type ?? '' })
  }
  const { reference_number, full_name, data } = checked.input
  const manifest_keys = manifestKeysOf(fields).known
  return {
    record_type,
    reference_number,
    content: { source: 'pull', full_name, data, manifest_keys },
  }
}

function invalidRecord(errors: FieldErrors): HubError {
  return new HubError('invalid_record', { reason: faultsInWords(errors) }, { errors })
}

const OUTCOME_WORDS = {
  created: 'It is a new record.',
  updated: 'It changes the record.',
  unchanged: 'The record says the same already.',
  stale: 'What is stored is newer, and stays.',
} as const

function describeOutcome(id: number, written: WriteOutcome, record_type: string): Replayed {
  if (written.outcome === 'rejected') {
    const { code } = written
    return describeError(id, new HubError(code, { record_type, what: 'rejected push' }))
  }
  const { outcome, record_id } = written
  const message = OUTCOME_WORDS[outcome]
  return { replay: { id, outcome, record_id, code: null, message, errors: {} }, error: null }
}

function describeError(id: number, error: HubError): Replayed {
  const { code, message, errors = {} } = error
  return { replay: { id, outcome: 'rejected', record_id: null, code, message, errors }, error }
}
