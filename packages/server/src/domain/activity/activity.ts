import type { ActivityLevel, AuditAction, PullMode } from '@recordhub/protocol'

export type NewActivity = {
  level: ActivityLevel
  /** Noun and verb, such as `push.created`. Entries can be filtered by it. */
  kind: string
  message: string
  platform?: { platform_id: number; platform_name: string }
  record_id?: number
  actor?: string
  details?: Record<string, unknown>
}

/** The actor of an action and the client's address, which is null on the command line. */
export type Requester = { actor: string; address: string | null }

export type NewAuditEntry = Requester & {
  action: AuditAction
  target: string | null
  details?: Record<string, unknown>
}

/** The entries of both logs about the same change of a requester, with the same details. */
export function logChange(
  requester: Requester,
  change: Omit<NewActivity, 'level' | 'actor'> &
    Pick<NewAuditEntry, 'action' | 'target'> & { level?: ActivityLevel },
): { activity: NewActivity; audit: NewAuditEntry } {
  const { action, target, ...activity } = change
  const details = activity.details ? { details: activity.details } : {}
  return {
    activity: { level: 'info', actor: requester.actor, ...activity },
    audit: { ...requester, action, target, ...details },
  }
}

const PUSH_LABELS = {
  created: 'New record',
  updated: 'Changed record',
  unchanged: 'Unchanged record',
  stale: 'Older version of record',
  held: 'Values that were taken back of record',
} as const

/** The activity entry of an accepted push. */
export function describePush(push: {
  outcome: keyof typeof PUSH_LABELS
  method: 'POST' | 'PATCH'
  platform: { platform_id: number; platform_name: string; display_title: string }
  module_name: string
  reference_number: string
  record_id: number
  request_id: string
}): NewActivity {
  const { outcome, method, platform, module_name, reference_number } = push
  return {
    level: 'info',
    kind: `push.${outcome}`,
    message: `${PUSH_LABELS[outcome]} ${reference_number} (${module_name}) received from ${platform.display_title}`,
    platform,
    record_id: push.record_id,
    details: { method, reference_number, request_id: push.request_id },
  }
}

const REPLAY_RESULTS = {
  created: 'is a new record',
  updated: 'changed the record',
  unchanged: 'changed nothing',
  stale: 'is older than the stored record and changed nothing',
  held: 'changed nothing: its values were taken back',
} as const

/** The activity entry of a replay that was not rejected. */
export function describeReplay(
  write: {
    reference_number: string
    request_id: string
    replay: { rejected_push_id: number; actor: string }
  },
  result: {
    outcome: keyof typeof REPLAY_RESULTS
    record_id: number
    module_name: string
    platform: { platform_id: number; platform_name: string; display_title: string }
  },
): NewActivity {
  const { reference_number, request_id, replay } = write
  const { outcome, record_id, module_name, platform } = result
  return {
    level: 'info',
    kind: `replay.${outcome}`,
    message: `Replayed ${reference_number} (${module_name}) of ${platform.display_title}: it ${REPLAY_RESULTS[outcome]}`,
    platform,
    record_id,
    actor: replay.actor,
    details: { reference_number, rejected_push_id: replay.rejected_push_id, request_id },
  }
}

/** The activity entry of a pull that an operator or a program has requested. */
export function describePullStart(pull: {
  pull_id: number
  requested_by: string
  mode: PullMode
  modules: number
  platforms: number
}): NewActivity {
  const { pull_id, requested_by, mode, modules, platforms } = pull
  const conditions = mode === 'full' ? ', without ETag and Last-Modified' : ''
  return {
    level: 'info',
    kind: 'pull.started',
    message: `Pull ${pull_id} was started: ${formatCount(modules, 'module')} of ${formatCount(platforms, 'platform')}${conditions}`,
    actor: requested_by,
    details: { pull_id },
  }
}

/** "1 record", "2 records". */
export function formatCount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
