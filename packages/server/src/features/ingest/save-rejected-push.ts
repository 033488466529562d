import { SOURCE_KEY_PURPOSE } from '../../domain/platform/api-key.ts'
import { redactKeys, redactText } from '../../domain/platform/redact-keys.ts'
import { Batcher } from '../../lib/concurrency/batcher.ts'
import type { SecretBox } from '../../lib/crypto/secret-box.ts'
import type { Clock } from '../../lib/time/clock.ts'
import type { PlatformStore } from '../../storage/port/platform-store.ts'
import type { NewRejectedPush, RejectedPushStore } from '../../storage/port/rejected-push-store.ts'

/** Maximum size of the rejected bodies of a platform. The oldest ones are deleted first. */
const QUOTA_BYTES = 50 * 1024 * 1024

/** Saves rejected pushes and pulled records so that operators can fix and replay them, many in one commit. */
export type RejectedPushSaver = {
  /**
   * Saves a rejected push without keys: those of the hub, values whose name is that of a key, and the source API key of
   * the platform. `http/limit-bodies.ts` limits how many pushes wait, and a pull waits before it reads further records.
   */
  save: (rejected: NewRejectedPush) => Promise<void>
}

export function createRejectedPushSaver(deps: {
  rejectedPushes: Pick<RejectedPushStore, 'saveRejectedPushes'>
  platforms: Pick<PlatformStore, 'readSource'>
  secrets: SecretBox
  clock: Clock
  dayOf: (at: Date) => string
}): RejectedPushSaver {
  const { rejectedPushes, clock, dayOf } = deps
  const batcher = new Batcher<NewRejectedPush, void>({
    async handle(rejected) {
      const ids = [...new Set(rejected.map(({ platform_id }) => platform_id))]
      const keys = new Map(
        await Promise.all(ids.map(async (id) => [id, await readSourceKey(deps, id)] as const)),
      )
      const redacted = rejected.map((one) => withoutKeys(one, [keys.get(one.platform_id) ?? '']))
      const now = clock.now()
      await rejectedPushes.saveRejectedPushes(redacted, {
        at: now.toISOString(),
        day: dayOf(now),
        quotaBytes: QUOTA_BYTES,
      })
      return rejected.map(() => ({ value: undefined }))
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
