/** Labels of the audit log. */
import type { AuditAction, AuditGroup } from '@recordhub/protocol/constants'
import type { Choice } from './choices.ts'
import { formatCode } from './format.ts'
import { userAgentLabel } from './user-agent.ts'

/** The groups of actions, as filters. */
export const GROUP_LABELS: Readonly<Record<AuditGroup, string>> = {
  keys: 'Keys and tokens',
  sign_in: 'Sign-in',
  records: 'Records',
  platforms: 'Platforms',
  pulls: 'Pulls',
  operators: 'Operators',
  hub: 'Hub',
}

const ACTION_LABELS: Readonly<Record<AuditAction, string>> = {
  'hub_key.reveal': 'Revealed a hub API key',
  'hub_key.reveal_rejected': 'Failed to reveal a hub API key',
  'hub_key.rotate': 'Rotated a hub API key',
  'hub_key.rotate_rejected': 'Failed to rotate a hub API key',
  'hub_key.end_previous': 'Ended an old hub API key early',
  'token.create': 'Created a token',
  'token.create_rejected': 'Failed to create a token',
  'token.revoke': 'Revoked a token',
  'token.revoke_all': 'Revoked all tokens',
  'secret.rotate': 'Rotated the secret of the hub',
  'session.begin': 'Signed in',
  'session.reject': 'Failed to sign in',
  'session.sign_out': 'Signed out',
  'session.end': 'Ended a session',
  'session.end_others': 'Ended all other sessions',
  'session.end_all': 'Ended all sessions',
  'account.change': 'Changed their account',
  'account.change_password': 'Changed their password',
  'account.reset_password': 'Set a new password',
  'second_factor.enable': 'Enabled two-factor authentication',
  'second_factor.disable': 'Disabled two-factor authentication',
  'second_factor.recovery_codes': 'Created new recovery codes',
  'second_factor.reset': 'Reset two-factor authentication',
  'second_factor.reset_rejected': 'Failed to reset two-factor authentication',
  'passkey.create': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'record.erase': 'Erased a record',
  'record.anonymise': 'Anonymised a record',
  'record.erase_again': 'Erased a record again after a restore',
  'tombstone.delete': 'Deleted a tombstone',
  'records.export': 'Exported records',
  'rejected_push.replay': 'Replayed a rejected push',
  'rejected_push.replay_all': 'Replayed rejected pushes',
  'rejected_push.repair': 'Repaired rejected pushes',
  'rejected_push.dismiss': 'Dismissed rejected pushes',
  'rejected_push.accepted': 'Accepted rejected records',
  'rejected_push.reopened': 'Accepted rejected records no longer',
  'missing_review.approved': 'Approved missing records',
  'missing_review.dismissed': 'Dismissed a review of missing records',
  'revert.plan': 'Planned a revert',
  'revert.start': 'Started a revert',
  'revert.start_rejected': 'Failed to start a revert',
  'revert.cancel': 'Cancelled a revert',
  'revert.succeeded': 'Ended a revert',
  'revert.failed': 'Could not finish a revert',
  'revert.export': 'Exported the records of a revert',
  'holds.lift': 'Lifted holds',
  'view.created': 'Saved a view',
  'view.changed': 'Changed a saved view',
  'view.deleted': 'Deleted a saved view',
  'platform.probe': 'Tested a connection',
  'platform.register': 'Registered a platform',
  'platform.change_source': 'Changed the source of a platform',
  'platform.change_modules': 'Changed the modules of a platform',
  'platform.activated': 'Activated a platform',
  'platform.deactivated': 'Deactivated a platform',
  'platform.rename': 'Accepted the new name of a platform',
  'platform.remove': 'Removed a platform',
  'manifest.refresh': 'Refreshed a manifest',
  'module.delete_records': 'Deleted the records of a module',
  'module.drift_policy': 'Changed the drift policy of a module',
  'module.indexed_fields': 'Changed the indexed fields',
  'pull.start': 'Started a pull',
  'pull.cancel': 'Cancelled a pull',
  'schedule.paused': 'Paused the schedule',
  'schedule.resumed': 'Resumed the schedule',
  'operator.create_first': 'Created the first operator',
  'operator.create': 'Accepted an invitation',
  'operator.invite': 'Invited an operator',
  'operator.invite_rejected': 'Failed to invite an operator',
  'operator.withdraw_invitation': 'Withdrew an invitation',
  'operator.change': 'Changed an operator',
  'operator.change_rejected': 'Failed to change an operator',
  'operator.remove': 'Removed an operator',
  'inbox.acknowledge': 'Acknowledged an item',
  'inbox.snooze': 'Snoozed an item',
  'inbox.reopen': 'Opened an item again',
  'alert.acknowledged': 'Acknowledged an alert',
  'alert.test_mail': 'Sent a test e-mail',
  'settings.changed': 'Changed settings',
  'settings.changed_rejected': 'Failed to change settings',
  'backup.start': 'Started a backup',
  'backup.download': 'Downloaded a backup',
  'backup.drill': 'Tested the restore of a backup',
  'activity.export': 'Exported the activity',
  'audit.export': 'Exported the audit log',
  'doctor.repair': 'Repaired the database by recordhub doctor',
}

/** The actions, as filters. */
export const ACTIONS: readonly Choice[] = Object.entries(ACTION_LABELS).map(([value, label]) => ({
  value,
  label,
}))

/** `Revoked a token`; actions of another version of the hub are shown by their code. */
export function actionLabel(action: string): string {
  const known = ACTIONS.find(({ value }) => value === action)
  return known?.label ?? formatCode(action.replaceAll('.', ': '))
}

/** The page of the target of an action; null if it has none, or if only its name tells what it is. */
export function targetLink({ action, target }: { action: string; target: string | null }) {
  const [noun] = action.split('.')
  const [, kind, id = ''] = /^(pull|revert|record) ([1-9]\d*)$/.exec(target ?? '') ?? []
  if (kind === 'pull') return { to: '/dashboard/pulls/$id', params: { id } } as const
  if (kind === 'revert') return { to: '/dashboard/reverts/$id', params: { id } } as const
  const isErased = action === 'record.erase' || noun === 'tombstone'
  if (kind === 'record' && !isErased) {
    return { to: '/dashboard/records', search: { record: id } } as const
  }
  if (target === null) return null
  if (noun === 'token' && action !== 'token.revoke_all')
    return { to: '/dashboard/settings', search: { tab: 'tokens' } } as const
  return noun === 'inbox' ? ({ to: '/dashboard/inbox', search: { item: target } } as const) : null
}

/** The details of an audit entry on one line, with times as they were sent. */
export function detailsLabel(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${formatCode(name).toLowerCase()} ${detailLabel(name, value)}`)
    .join(' · ')
}

function detailLabel(name: string, value: unknown): string {
  return name === 'browser' && typeof value === 'string'
    ? userAgentLabel(value)
    : formatValue(value)
}

function formatValue(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.map(formatValue).join(', ') : JSON.stringify(value)
}
