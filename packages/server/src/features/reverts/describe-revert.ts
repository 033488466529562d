/** The log entries of reverts. */
import type { RevertScope } from '@recordhub/protocol'
import type { Requester } from '../../domain/activity/activity.ts'
import type { ChangeLog } from '../../storage/port/platform-store.ts'

type Steps = 'start' | 'cancel'

const MESSAGES: Readonly<Record<Steps, string>> = {
  start: 'was started',
  cancel: 'was cancelled. The records that it has reverted remain so',
}

const KINDS: Readonly<Record<Steps, string>> = {
  start: 'revert.started',
  cancel: 'revert.cancelled',
}

/** @param scope as requested: with the audit export, an administrator repeats the reverts that a restored backup lacks. */
export function describeRevert(
  step: Steps,
  { id, scope, reason }: { id: number; scope: RevertScope; reason: string },
  requester: Requester,
): ChangeLog {
  return {
    activity: {
      level: 'info',
      kind: KINDS[step],
      message: `Revert ${id} ${MESSAGES[step]}`,
      actor: requester.actor,
      details: { revert_id: id },
    },
    audit: {
      ...requester,
      action: `revert.${step}`,
      target: `revert ${id}`,
      details: { scope, reason },
    },
  }
}

/** @param error why it has failed; null if it has succeeded. */
export function describeRevertEnd(
  id: number,
  requester: Requester,
  error: string | null,
): ChangeLog {
  const [kind, message] =
    error === null
      ? (['revert.succeeded', `Revert ${id} has ended`] as const)
      : ([
          'revert.failed',
          `Revert ${id} has failed. The records that it has reverted remain so`,
        ] as const)
  const details = error === null ? {} : { error }
  return {
    activity: {
      level: error === null ? 'info' : 'error',
      ...{ kind, message, actor: requester.actor, details: { revert_id: id, ...details } },
    },
    audit: { ...requester, action: kind, target: `revert ${id}`, details },
  }
}

/**
 * @param what whose holds: `revert 3` or `record 17`.
 * @param one the only hold of the record that is lifted.
 */
export function describeLift(
  what: string,
  requester: Requester,
  one: { revert_id: number; path: string } | null = null,
): ChangeLog {
  const holds = one === null ? 'The holds' : 'A hold'
  return {
    activity: {
      level: 'info',
      kind: 'holds.lifted',
      message: `${holds} of ${what} ${one === null ? 'were' : 'was'} lifted. The next pull or push may bring back what was taken back`,
      actor: requester.actor,
    },
    audit: { ...requester, action: 'holds.lift', target: what, ...(one ? { details: one } : {}) },
  }
}
