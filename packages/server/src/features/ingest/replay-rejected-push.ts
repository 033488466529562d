import type { Replay, ReplayStepResponse } from '@recordhub/protocol'
import { isJsonObject, parseLossless } from '@recordhub/protocol/lossless-json'
import Type from 'typebox'
import type { Requester } from '../../domain/activity/activity.ts'
import { REMOVED_KEY } from '../../domain/platform/redact-keys.ts'
import {
  type DataMembers,
  type Drift,
  findDrift,
  rejectDrift,
  toManifestKeys,
} from '../../domain/record/drift.ts'
import {
  checkPulled,
  checkPush,
  formatErrors,
  limitKeys,
} from '../../domain/record/record-input.ts'
import type { ReplayedContent } from '../../domain/record/replay.ts'
import { type FieldErrors, HubError } from '../../errors.ts'
import {
  CursorInteger,
  createCursorCodec,
  MAX_PAGE_BYTES,
} from '../../lib/collections/pagination.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { ActivityStore } from '../../storage/port/activity-store.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { WriteOutcome } from '../../storage/port/record-store.ts'
import type {
  RejectedPushFilter,
  RejectedPushStore,
  ReplayableRejection,
  ReplayPosition,
} from '../../storage/port/rejected-push-store.ts'
import type { Ingest } from './ingest.ts'

export type ReplayDeps = {
  platforms: Pick<PlatformStore, 'readPlatform'>
  rejectedPushes: Pick<RejectedPushStore, 'readReplayable' | 'listReplayable'>
  activity: Pick<ActivityStore, 'appendAudit'>
  ingest: Pick<Ingest, 'replay' | 'maxRecordKeys'>
  clock: Clock
}

/** The requester, for the audit log, and the id of the request. */
export type ReplayRequester = Requester & { request_id: string }

/**
 * Replays a rejected push, unchanged or with an edited body. It is validated like any other write, has its original
 * position in the sequence of writes, and is replayed once.
 * @throws HubError `not_found`, or the reason when it is rejected again outside of a dry run.
 */
export async function replayRejectedPush(
  deps: ReplayDeps,
  request: { id: number; body: unknown; isDryRun: boolean; overwrite: boolean },
  { request_id, ...requester }: ReplayRequester,
): Promise<Replay> {
  const { id, body, isDryRun, overwrite } = request
  const stored = await deps.rejectedPushes.readReplayable(id)
  const rejection = stored && (await editedModules(deps)(stored, body))
  if (!rejection) throw new HubError('not_found', { what: 'rejected push' })
  if (!isDryRun) {
    const details = { rejected_push_id: id, edited: body !== undefined, overwrite }
    await deps.activity.appendAudit({
      ...requester,
      action: 'rejected_push.replay',
      target: rejection.platform_name,
      details,
    })
  }
  const { actor } = requester
  const options = { isDryRun, overwrite, request_id, actor }
  const [replayed] = await replayInOrder(deps, [{ rejection, body }], options)
  if (!replayed) throw new Error('A replay has no outcome')
  if (replayed.error && !isDryRun) throw replayed.error
  return replayed.replay
}

/**
 * Returns a function that completes a rejection with the module that its edited body names, against whose manifest it is
 * then validated. Each platform is read once.
 */
export function editedModules({ platforms }: Pick<ReplayDeps, 'platforms'>) {
  const known = new Map<number, ReturnType<PlatformStore['readPlatform']>>()
  return async (rejection: ReplayableRejection, edited: unknown): Promise<ReplayableRejection> => {
    const record_type = isJsonObject(edited) ? edited['record_type'] : undefined
    if (rejection.method === 'pull' || typeof record_type !== 'string') return rejection
    if (record_type === rejection.record_type) return rejection
    const { platform_id } = rejection
    const reading = known.get(platform_id) ?? platforms.readPlatform(platform_id)
    known.set(platform_id, reading)
    const module = (await reading)?.modules.find((one) => one.record_type === record_type)
    const { fields = null, drift_policy = null } = module ?? {}
    return { ...rejection, record_type, fields, drift_policy }
  }
}

type ReplayOptions = {
  isDryRun: boolean
  overwrite: boolean
  request_id: string
  actor: string
}

type Replayed = { replay: Replay; error: HubError | null }

/** Replays several rejected pushes in their order, in one transaction. Each is accepted or rejected by itself. */
export async function replayInOrder(
  { ingest, clock }: Pick<ReplayDeps, 'ingest' | 'clock'>,
  requests: { rejection: ReplayableRejection; body?: unknown }[],
  { isDryRun, overwrite, request_id, actor }: ReplayOptions,
): Promise<Replayed[]> {
  const checked = requests.map(({ rejection, body }) => ({
    rejection,
    isEdited: body !== undefined,
    record: checkRejection(rejection, body, clock.now(), ingest.maxRecordKeys),
  }))
  const writes = checked.flatMap(({ rejection, record, isEdited }) => {
    if (record instanceof HubError) return []
    const { platform_id, rejected_push_id } = rejection
    const other = isEdited && namesOther(rejection, record) ? { names_other: true as const } : {}
    const replay = { rejected_push_id, overwrite, actor, ...other }
    return [{ platform_id, ...record, request_id, replay }]
  })
  const outcomes = writes.length > 0 ? await ingest.replay(writes, { isDryRun }) : []
  const written = outcomes.values()
  const created = new Set<number | null>()
  return checked.map(({ rejection, record }) => {
    const id = rejection.rejected_push_id
    if (record instanceof HubError) return describeError(id, record)
    const { value } = written.next()
    if (!value) throw new Error('A replay has no outcome')
    const described = describeOutcome(id, value, record.record_type)
    const { outcome, record_id } = described.replay
    if (outcome === 'created') created.add(record_id)
    // The id of a record created in a dry run is not valid.
    if (isDryRun && created.has(record_id)) described.replay.record_id = null
    return described
  })
}

type CheckedRecord = {
  record_type: string
  reference_number: string
  content: ReplayedContent
}

/** Whether an edited record is another one than that of the rejection. */
function namesOther(
  { method, body }: ReplayableRejection,
  { record_type, reference_number }: CheckedRecord,
): boolean {
  const stored = parseLossless(body)
  if (!isJsonObject(stored)) return true
  const isOfModule = method === 'pull' || stored['record_type'] === record_type
  return !isOfModule || stored['reference_number'] !== reference_number
}

/** Validates the body of a replay; an error if it is not a record that may be stored. */
function checkRejection(
  rejection: ReplayableRejection,
  edited: unknown,
  now: Date,
  maxKeys: number,
): (CheckedRecord & { drift?: Drift }) | HubError {
  if (edited === undefined && rejection.body.includes(REMOVED_KEY)) {
    return new HubError('key_was_removed')
  }
  const body = edited === undefined ? parseLossless(rejection.body) : edited
  const read = readRecord(rejection, body, now, maxKeys)
  if (read instanceof HubError) return read
  const { record, members } = read
  const { fields, drift_policy } = rejection
  if (!fields) return record
  const isWhole = record.content.source !== 'PATCH'
  const drift = findDrift(members, toManifestKeys(fields), { isWhole })
  const rejected = rejectDrift(drift, drift_policy ?? 'accept')
  if (rejected) {
    const { reason, errors } = rejected
    return new HubError('drift_rejected', { reason }, { errors })
  }
  return drift ? { ...record, drift } : record
}

function readRecord(
  { method, record_type, fields }: ReplayableRejection,
  body: unknown,
  now: Date,
  maxKeys: number,
): { record: CheckedRecord; members: DataMembers } | HubError {
  if (method !== 'pull') {
    const checked = limitKeys(checkPush(method, body, now), maxKeys)
    if (checked.outcome === 'invalid') return invalidRecord(checked.errors)
    const { record_type, reference_number, full_name, data, occurred_at, members } = checked.input
    const content = { source: method, full_name, data, occurred_at }
    return { record: { record_type, reference_number, content }, members }
  }
  const checked = limitKeys(checkPulled(body), maxKeys)
  if (checked.outcome === 'invalid') return invalidRecord(checked.errors)
  if (record_type === null || fields === null) {
    return new HubError('module_not_registered', { record_type: record_type ?? '' })
  }
  const { reference_number, full_name, data, members } = checked.input
  const manifest_keys = toManifestKeys(fields).known
  const content = { source: 'pull' as const, full_name, data, manifest_keys }
  return { record: { record_type, reference_number, content }, members }
}

function invalidRecord(errors: FieldErrors): HubError {
  return new HubError('invalid_record', { reason: formatErrors(errors) }, { errors })
}

const OUTCOME_MESSAGES = {
  created: 'It is a new record.',
  updated: 'It changes the record.',
  unchanged: 'The record already has these values.',
  stale: 'The stored record is newer and remains unchanged.',
} as const

function describeOutcome(id: number, written: WriteOutcome, record_type: string): Replayed {
  if (written.outcome === 'rejected') {
    const { code } = written
    return describeError(id, new HubError(code, { record_type, what: 'rejected push' }))
  }
  const { record_id, changed_values } = written
  // Never held: a replay lifts the holds of its record.
  const outcome = written.outcome === 'held' ? 'unchanged' : written.outcome
  const message = OUTCOME_MESSAGES[outcome]
  const values = changed_values === undefined ? {} : { changed_values }
  const replay = { id, outcome, record_id, code: null, message, errors: {}, ...values }
  return { replay, error: null }
}

function describeError(id: number, error: HubError): Replayed {
  const { code, message, errors = {} } = error
  return { replay: { id, outcome: 'rejected', record_id: null, code, message, errors }, error }
}

/** Maximum number replayed in one transaction, during which pushes wait. */
export const STEP = 200
const CURSOR = createCursorCodec(
  Type.Object({ position_seq: CursorInteger, rejected_push_id: CursorInteger }),
)

/**
 * Replays the next rejected pushes that match a filter, in the order in which they arrived, so that the last write of
 * each record wins. The client continues with `next_cursor`. Nothing runs between two steps, and each rejected push is
 * replayed completely or not at all.
 */
export async function replayByFilter(
  deps: ReplayDeps,
  request: RejectedPushFilter & { isDryRun: boolean; cursor: string | null },
  { request_id, ...requester }: ReplayRequester,
): Promise<Omit<ReplayStepResponse, 'success'>> {
  const { isDryRun, cursor, ...filter } = request
  const after = cursor === null ? null : CURSOR.decode(cursor)
  const query = { ...filter, limit: STEP, maxBytes: MAX_PAGE_BYTES, after, until: null }
  const { rejections, remaining } = await deps.rejectedPushes.listReplayable(query)
  const [first, last] = [rejections[0], rejections.at(-1)]
  if (first && !isDryRun) {
    const details = { ...filter, count: rejections.length, first: first.rejected_push_id }
    await deps.activity.appendAudit({
      ...requester,
      action: 'rejected_push.replay_all',
      target: filter.platform,
      details,
    })
  }
  const { actor } = requester
  const requests = rejections.map((rejection) => ({ rejection }))
  const options = { isDryRun, overwrite: false, request_id, actor }
  const replayed = await replayInOrder(deps, requests, options)
  const counts = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }
  for (const { replay } of replayed) counts[replay.outcome] += 1
  return {
    dry_run: isDryRun,
    counts,
    replays: replayed.map(({ replay }) => replay),
    remaining,
    next_cursor: remaining > 0 && last ? encodeCursor(last) : null,
  }
}

function encodeCursor({ position_seq, rejected_push_id }: ReplayPosition): string {
  return CURSOR.encode({ position_seq, rejected_push_id })
}
