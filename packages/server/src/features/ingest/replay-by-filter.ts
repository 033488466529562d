import type { ReplayStepAnswer } from '@recordhub/protocol'
import Type from 'typebox'
import { CursorInteger, createCursorCodec } from '../../lib/collections/pagination.ts'
import { MAX_PAGE_BYTES } from '../../lib/collections/take-within-bytes.ts'
import type { RefusalPosition, RejectedPushFilter } from '../../storage/port/rejected-push-store.ts'
import { type ReplayParts, type ReplayRequester, replayAll } from './replay-rejected-push.ts'

/** Replayed in one transaction: pushes wait for no more than this. */
const STEP = 200
const CURSOR = createCursorCodec(
  Type.Object({ place_seq: CursorInteger, rejected_push_id: CursorInteger }),
)

/**
 * One step of replaying all that a filter means, in the order in which they came, so that of one record
 * the last word stands. Whoever asks goes on with `next_cursor`: nothing is under way between two steps,
 * and each rejected push is replayed or it is not.
 */
export async function replayByFilter(
  parts: ReplayParts,
  request: RejectedPushFilter & { isDryRun: boolean; cursor: string | null },
  { request_id, ...requester }: ReplayRequester,
): Promise<Omit<ReplayStepAnswer, 'success'>> {
  const { isDryRun, cursor, ...filter } = request
  const after = cursor === null ? null : CURSOR.decode(cursor)
  const query = { ...filter, limit: STEP, maxBytes: MAX_PAGE_BYTES, after }
  const { refusals, remaining } = await parts.rejectedPushes.listRefusals(query)
  const [first, last] = [refusals[0], refusals.at(-1)]
  if (first && !isDryRun) {
    const details = { ...filter, count: refusals.length, first: first.rejected_push_id }
    await parts.activity.appendAudit({
      ...requester,
      action: 'rejected_push.replay_all',
      target: filter.platform,
      details,
    })
  }
  const { actor } = requester
  const requests = refusals.map((refusal) => ({ refusal }))
  const how = { isDryRun, overwrite: false, request_id, actor }
  const replayed = await replayAll(parts, requests, how)
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

function encodeCursor({ place_seq, rejected_push_id }: RefusalPosition): string {
  return CURSOR.encode({ place_seq, rejected_push_id })
}
