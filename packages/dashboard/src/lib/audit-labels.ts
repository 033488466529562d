/** Labels of the audit log. */
import { formatCode } from './format.ts'
import { userAgentLabel } from './user-agent.ts'

const ACTION_LABELS: Readonly<Record<string, string>> = {
  'session.begin': 'Signed in',
  'session.reject': 'Failed to sign in',
  'session.sign_out': 'Signed out',
  'session.end': 'Ended a session',
  'session.end_others': 'Ended all other sessions',
  'session.end_all': 'Ended all sessions',
  'account.change_password': 'Changed their password',
  'account.reset_password': 'Set a new password',
  'second_factor.enable': 'Enabled two-factor authentication',
  'second_factor.disable': 'Disabled two-factor authentication',
  'second_factor.recovery_codes': 'Created new recovery codes',
  'second_factor.reset': 'Reset two-factor authentication',
  'passkey.create': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'operator.create_first': 'Created the first operator',
  'operator.create': 'Accepted an invitation',
  'operator.invite': 'Invited an operator',
  'operator.withdraw_invitation': 'Withdrew an invitation',
  'operator.change': 'Changed an operator',
  'operator.remove': 'Removed an operator',
  'token.create': 'Created a token',
  'token.revoke': 'Revoked a token',
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
  'records.export': 'Exported records',
  'audit.export': 'Exported the audit log',
  'backup.start': 'Started a backup',
  'backup.download': 'Downloaded a backup',
  'backup.drill': 'Tested the restore of a backup',
  'backup.upload': 'Uploaded a backup to restore',
  'record.erase_again': 'Erased a record again after a restore',
  'pull.start': 'Started a pull',
  'pull.cancel': 'Cancelled a pull',
  'record.erase': 'Erased a record',
  'record.anonymise': 'Anonymised a record',
  'revert.plan': 'Planned a revert',
  'revert.start': 'Started a revert',
  'revert.cancel': 'Cancelled a revert',
  'revert.succeeded': 'Ended a revert',
  'revert.failed': 'Could not finish a revert',
  'revert.export': 'Exported the records of a revert',
  'holds.lift': 'Lifted holds',
  'rejected_push.replay': 'Replayed a rejected push',
  'rejected_push.replay_all': 'Replayed rejected pushes',
  'rejected_push.repair': 'Repaired rejected pushes',
  'rejected_push.dismiss': 'Dismissed rejected pushes',
  'schedule.paused': 'Paused the schedule',
  'schedule.resumed': 'Resumed the schedule',
  'settings.changed': 'Changed settings',
  'hub_key.end_previous': 'Ended an old hub API key early',
  'missing_review.approve': 'Approved missing records',
  'missing_review.dismiss': 'Dismissed a review of missing records',
  'tombstone.delete': 'Deleted a tombstone',
  'alert.acknowledged': 'Acknowledged an alert',
  'alert.test_mail': 'Sent a test e-mail',
}

/** Actions with a label, offered as filters. */
export const AUDIT_ACTIONS: readonly string[] = Object.keys(ACTION_LABELS)

/** `Revoked a token`; unknown actions are shown by their code. */
export function actionLabel(action: string): string {
  return ACTION_LABELS[action] ?? formatCode(action.replaceAll('.', ': '))
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
