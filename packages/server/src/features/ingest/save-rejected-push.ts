import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { redactKeys, redactText } from '../../domain/platform/redact-keys.ts'
import { HubError } from '../../errors.ts'
import { Batcher } from '../../lib/concurrency/batcher.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { NewRejectedPush, RejectedPushStore } from '../../storage/port/rejected-push-store.ts'

/** What a platform's refused bodies may take; the oldest go first. */
const QUOTA_BYTES = 50 * 1024 * 1024

/** Keeps refused pushes and pulled records so that they can be mended, many in one commit. */
export type RejectedPushSaver = {
  /**
   * Keeps it without keys: those of the hub, what bears the name of one, and the one that the platform is asked with.
   * @throws HubError `busy` where too many wait already.
   */
  keep: (rejected: NewRejectedPush) => Promise<void>
}

export function createRejectedPushSaver(options: {
  rejectedPushes: Pick<RejectedPushStore, 'keepRejectedPushes'>
  platforms: Pick<PlatformStore, 'readSource'>
  secrets: SecretBox
  clock: Clock
  dayOf: (at: Date) => string
}): RejectedPushSaver {
  const { rejectedPushes, platforms, secrets, clock, dayOf } = options
  /** "" where there is none, or none that opens. */
  async function sourceKeyOf(platformId: number): Promise<string> {
    const source = await platforms.readSource(platformId)
    try {
      return source ? secrets.open(source.sealed_source_key, SOURCE_KEY_PURPOSE) : ''
    } catch {
      return ''
    }
  }
  const queue = new Batcher<NewRejectedPush, void>({
    async handle(rejected) {
      const ids = [...new Set(rejected.map(({ platform_id }) => platform_id))]
      const keys = new Map(
        await Promise.all(ids.map(async (id) => [id, await sourceKeyOf(id)] as const)),
      )
      const kept = rejected.map((one) => withoutKeys(one, [keys.get(one.platform_id) ?? '']))
      const now = clock.now()
      await rejectedPushes.keepRejectedPushes(kept, {
        at: now.toISOString(),
        day: dayOf(now),
        quotaBytes: QUOTA_BYTES,
      })
      return rejected.map(() => ({ value: undefined }))
    },
    maxBatch: 100,
    maxWaiting: 1000,
  })
  return {
    async keep(rejected) {
      if (queue.isFull) throw new HubError('busy', { seconds: 1 }, { retryAfterSeconds: 1 })
      await queue.add(rejected)
    },
  }
}

function withoutKeys(rejected: NewRejectedPush, keys: string[]): NewRejectedPush {
  const hide = (text: string) => redactText(text, keys)
  const { record_type, message, errors, body, activity } = rejected
  const hidden = Object.entries(errors).map(([member, words]) => [hide(member), words.map(hide)])
  return {
    ...rejected,
    record_type: record_type === null ? null : hide(record_type),
    message: hide(message),
    errors: Object.fromEntries(hidden),
    body: redactKeys(body, keys),
    activity: activity && { ...activity, message: hide(activity.message) },
  }
}
