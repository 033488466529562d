/** The same change to all rejected pushes of a group: tested on all of them, then replayed step by step. */
import type {
  RepairableGroup,
  RepairChange,
  RepairedPush,
  RepairPreview,
  RepairStep,
} from '@recordhub/protocol'
import { isJsonObject, type JsonValue, parseLossless } from '@recordhub/protocol/lossless-json'
import type { Static } from 'typebox'
import Type from 'typebox'
import { referenceOf } from '../../domain/record/record-input.ts'
import { applyChanges, proposeModule } from '../../domain/record/repair.ts'
import { HubError } from '../../errors.ts'
import {
  CursorInteger,
  createCursorCodec,
  MAX_PAGE_BYTES,
} from '../../lib/collections/pagination.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { sha256 } from '../../lib/crypto/hash.ts'
import { limitWork } from '../../lib/time/work-limit.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type {
  ReplayableRejection,
  ReplayPosition,
  StoredGroup,
} from '../../storage/port/rejected-push-store.ts'
import {
  editedModules,
  type ReplayDeps,
  type ReplayRequester,
  replayInOrder,
  STEP,
} from './replay-rejected-push.ts'

/** A preview ends after this time, and tells how many it has tested. */
const MAX_PREVIEW_MS = 5000
const MAX_ITEMS = 100
/** The bodies that a preview contains, and their length together, of which the first may have more. */
const MAX_EXAMPLES = 10
const MAX_EXAMPLE_LENGTH = 200_000

const Counts = Type.Object({
  created: CursorInteger,
  updated: CursorInteger,
  unchanged: CursorInteger,
  stale: CursorInteger,
  rejected: CursorInteger,
})
type Counts = Static<typeof Counts>
const Position = { position_seq: CursorInteger, rejected_push_id: CursorInteger }
/** What a preview has tested: the pushes up to a position, with a hash of the changes. */
const UNTIL = createCursorCodec(Type.Object({ ...Position, counts: Counts, hash: Type.String() }))
const CURSOR = createCursorCodec(Type.Object({ ...Position, totals: Counts }))
const NONE: Counts = { created: 0, updated: 0, unchanged: 0, stale: 0, rejected: 0 }

type Repair = { platform: string; cause: string; changes: RepairChange[] }

/** Tests changes on the rejected pushes of a group, without writing anything. */
export async function previewRepair(
  deps: ReplayDeps,
  repair: Repair,
  { request_id, actor }: ReplayRequester,
): Promise<RepairPreview> {
  const time = limitWork(MAX_PREVIEW_MS)
  const counts = { ...NONE }
  const written = new Set<string>()
  const items: RepairedPush[] = []
  const examples: RepairPreview['examples'] = []
  let exampleLength = 0
  let [tested, unchanged_bodies, repeated, left] = [0, 0, 0, 0]
  let after: ReplayPosition | null = null
  do {
    const step = await readStep(deps, repair, { after, until: null })
    const options = { isDryRun: true, overwrite: false, request_id, actor }
    const replayed = await replayInOrder(deps, step.requests, options)
    for (const [index, { replay }] of replayed.entries()) {
      const request = step.requests[index]
      if (!request) continue
      const { rejection, body, isChanged, before } = request
      const item = describe(replay, request)
      counts[replay.outcome] += 1
      if (!isChanged) unchanged_bodies += 1
      if (items.length < MAX_ITEMS) items.push(item)
      if (isChanged && examples.length < MAX_EXAMPLES && exampleLength < MAX_EXAMPLE_LENGTH) {
        exampleLength += rejection.body.length
        examples.push({ id: rejection.rejected_push_id, before, after: body })
      }
      if (replay.outcome === 'rejected') continue
      const record = JSON.stringify([rejection.record_type, item.reference_number])
      if (written.has(record)) repeated += 1
      written.add(record)
    }
    tested += replayed.length
    left = step.remaining
    after = step.last ?? after
    // Pushes are received between two steps.
    await yieldToEventLoop()
  } while (left > 0 && !time.isOver())
  const { position_seq, rejected_push_id } = after ?? { position_seq: -1, rejected_push_id: -1 }
  const until = { position_seq, rejected_push_id, counts, hash: hashOf(repair) }
  return {
    ...{ total: tested + left, tested, complete: left === 0, counts, unchanged_bodies, repeated },
    ...{ items, examples, until: UNTIL.encode(until) },
  }
}

/**
 * Replays the next rejected pushes that a preview has tested, with its changes. A push that was rejected since then
 * stays. The client continues with `next_cursor`; after an interruption, also without it, since what was replayed is no
 * longer in the group.
 * @throws HubError `invalid_request` if the preview was of other changes.
 */
export async function applyRepair(
  deps: ReplayDeps,
  request: Repair & { until: string; cursor: string | null },
  { request_id, ...requester }: ReplayRequester,
): Promise<RepairStep> {
  const { platform, cause, changes, cursor } = request
  const until = UNTIL.decode(request.until)
  if (until.hash !== hashOf(request)) {
    const reason = '`until` belongs to a preview of other changes; preview these'
    throw new HubError('invalid_request', { reason })
  }
  const start = cursor === null ? null : CURSOR.decode(cursor)
  const { requests, remaining, last } = await readStep(deps, request, { after: start, until })
  const [first] = requests
  if (first) {
    const rule = changes.map((change) => withoutValue(change))
    const { rejected_push_id } = first.rejection
    const details = { cause, changes: rule, count: requests.length, first: rejected_push_id }
    const action = 'rejected_push.repair'
    await deps.activity.appendAudit({ ...requester, action, target: platform, details })
  }
  const options = { isDryRun: false, overwrite: false, request_id, actor: requester.actor }
  const replayed = await replayInOrder(deps, requests, options)
  const counts = { ...NONE }
  for (const { replay } of replayed) counts[replay.outcome] += 1
  const totals = addCounts(start?.totals ?? NONE, counts)
  const isLast = remaining === 0 || !last
  return {
    counts,
    totals,
    replays: replayed.map(({ replay }) => replay),
    remaining,
    next_cursor: isLast ? null : CURSOR.encode({ ...last, totals }),
    differences: isLast ? differencesOf(until.counts, totals) : [],
  }
}

type RepairedRequest = {
  rejection: ReplayableRejection
  before: JsonValue
  body: JsonValue
  isChanged: boolean
}

/** Reads the next rejected pushes, and applies the changes to them. */
async function readStep(
  deps: ReplayDeps,
  { platform, cause, changes }: Repair,
  { after, until }: { after: ReplayPosition | null; until: ReplayPosition | null },
): Promise<{ requests: RepairedRequest[]; remaining: number; last: ReplayPosition | null }> {
  const query = { platform, cause, code: null, record_type: null, limit: STEP }
  const found = await deps.rejectedPushes.listReplayable({
    ...{ ...query, maxBytes: MAX_PAGE_BYTES, after, until },
  })
  const withModule = editedModules(deps)
  const requests: RepairedRequest[] = []
  for (const rejection of found.rejections) {
    const before = parseLossless(rejection.body)
    const { body, isChanged } = applyChanges(before, changes)
    requests.push({ rejection: await withModule(rejection, body), before, body, isChanged })
  }
  const last = found.rejections.at(-1)
  const { position_seq = 0, rejected_push_id = 0 } = last ?? {}
  const { remaining } = found
  return { requests, remaining, last: last ? { position_seq, rejected_push_id } : null }
}

function describe(
  replay: RepairStep['replays'][number],
  { rejection, body, isChanged }: RepairedRequest,
): RepairedPush {
  const full_name = isJsonObject(body) ? body['full_name'] : null
  return {
    ...replay,
    at: rejection.at,
    method: rejection.method,
    reference_number: referenceOf(body),
    full_name: typeof full_name === 'string' ? full_name : null,
    changed: isChanged,
  }
}

function hashOf({ platform, cause, changes }: Repair): string {
  return sha256(JSON.stringify([platform, cause, changes])).slice(0, 22)
}

/** The audit log is kept for years, and a value may be personal; the type of a module is not. */
function withoutValue(change: RepairChange): object {
  if (!('value' in change) || change.path === '/record_type') return change
  const { value: _, ...rest } = change
  return rest
}

function addCounts(one: Counts, other: Counts): Counts {
  return {
    created: one.created + other.created,
    updated: one.updated + other.updated,
    unchanged: one.unchanged + other.unchanged,
    stale: one.stale + other.stale,
    rejected: one.rejected + other.rejected,
  }
}

const OUTCOMES = ['created', 'updated', 'unchanged', 'stale', 'rejected'] as const

function differencesOf(previewed: Counts, applied: Counts): RepairStep['differences'] {
  return OUTCOMES.filter((outcome) => previewed[outcome] !== applied[outcome]).map((outcome) => ({
    outcome,
    previewed: previewed[outcome],
    applied: applied[outcome],
  }))
}

/** Adds the registered module that was probably meant to each group whose module is not registered. */
export async function withProposals(
  { platforms }: { platforms: Pick<PlatformStore, 'readPlatform'> },
  groups: StoredGroup[],
): Promise<RepairableGroup[]> {
  const unregistered = groups.filter(({ code }) => code === 'module_not_registered')
  const ids = [...new Set(unregistered.map(({ platform_id }) => platform_id))]
  const read = await Promise.all(ids.map((id) => platforms.readPlatform(id)))
  const modules = new Map(read.map((platform) => [platform?.id, platform?.modules ?? []]))
  return groups.map(({ platform_id, ...group }) => {
    const { code, record_type } = group
    const known = code === 'module_not_registered' ? (modules.get(platform_id) ?? []) : []
    // A module that the platform has is only not registered.
    const isKnown = known.some((module) => module.record_type === record_type)
    if (record_type === null || isKnown) return { ...group, proposal: null }
    const registered = known.filter(({ registered }) => registered)
    return { ...group, proposal: proposeModule(record_type, registered) }
  })
}
