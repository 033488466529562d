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

export function describeRevertEnd(id: number, requester: Requester): ChangeLog {
  return {
    activity: {
      level: 'info',
      kind: 'revert.succeeded',
      message: `Revert ${id} has ended`,
      actor: requester.actor,
      details: { revert_id: id },
    },
    audit: { ...requester, action: 'revert.succeeded', target: `revert ${id}` },
  }
}

/** @param what whose holds: `revert 3` or `record 17`. */
export function describeLift(what: string, requester: Requester): ChangeLog {
  return {
    activity: {
      level: 'info',
      kind: 'holds.lifted',
      message: `The holds of ${what} were lifted. The next pull or push may bring back what was taken back`,
      actor: requester.actor,
    },
    audit: { ...requester, action: 'holds.lift', target: what },
  }
}
