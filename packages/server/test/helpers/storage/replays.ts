/** Rejected pushes and their replays in tests of the storage. */
import type { ReplayedContent } from '../../../src/domain/record/replay.ts'
import type { ReplayWrite } from '../../../src/storage/port/record-store.ts'
import type {
  NewRejectedPush,
  ReplayableRejection,
} from '../../../src/storage/port/rejected-push-store.ts'
import type { Storage } from '../../../src/storage/port/storage.ts'
import { normalize, type StorageContext, type TestPlatform } from './fixtures.ts'

/** A rejected push, by default a POST. */
export function rejection(
  platform: Pick<TestPlatform, 'platform_id'>,
  overrides: Partial<NewRejectedPush> = {},
): NewRejectedPush {
  return {
    platform_id: platform.platform_id,
    record_type: null,
    method: 'POST',
    code: 'invalid_record',
    message: 'The push was rejected',
    errors: {},
    body: '{"a":1}',
    pull_id: null,
    request_id: null,
    position: null,
    activity: null,
    ...overrides,
  }
}

export async function saveRejected(
  { storage, clock }: StorageContext,
  rejected: NewRejectedPush[],
  quotaBytes = 50 * 1024 * 1024,
): Promise<boolean[]> {
  const options = { at: clock.text, day: clock.day, quotaBytes }
  return storage.rejectedPushes.saveRejectedPushes(rejected, options)
}

export const ALL_REJECTIONS = {
  platform: null,
  code: null,
  record_type: null,
  cause: null,
  limit: 1000,
  maxBytes: 1_000_000,
  after: null,
  until: null,
}

/** The rejected pushes that are not replayed yet, by position. */
export async function listRejected(storage: Storage): Promise<ReplayableRejection[]> {
  return (await storage.rejectedPushes.listReplayable(ALL_REJECTIONS)).rejections
}

/** A replay of a rejected push, by default as a POST of r-1. `data` is JSON text. */
export function replayWrite(
  { rejected_push_id, platform_id }: Pick<ReplayableRejection, 'rejected_push_id' | 'platform_id'>,
  overrides: {
    data?: string
    reference?: string
    record_type?: string
    overwrite?: boolean
    content?: ReplayedContent
  } = {},
): ReplayWrite {
  const { data = '{}', reference = 'r-1', record_type = 'students', overwrite = false } = overrides
  const post = {
    ...({ source: 'POST', full_name: 'Ann', occurred_at: null } as const),
    data: normalize(data),
  }
  return {
    platform_id,
    record_type,
    reference_number: reference,
    content: overrides.content ?? post,
    request_id: 'request-of-replay',
    replay: { rejected_push_id, overwrite, actor: 'ann@example.org' },
  }
}
