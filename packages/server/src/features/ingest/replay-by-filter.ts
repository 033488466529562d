import type { ReplayStepResponse } from '@recordhub/protocol'
import Type from 'typebox'
import { CursorInteger, createCursorCodec } from '../../lib/collections/pagination.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import type { RejectedPushFilter, ReplayPosition } from '../../storage/port/rejected-push-store.ts'
import { type ReplayDeps, type ReplayRequester, replayInOrder } from './replay-rejected-push.ts'

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
