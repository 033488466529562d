/** The audit in words. */
import { formatTime, formatWord } from './format.ts'
import { describeUserAgent } from './user-agent.ts'

const ACTIONS: Readonly<Record<string, string>> = {
  'session.begin': 'Signed in',
  'session.refuse': 'Was refused at the sign-in',
  'session.sign_out': 'Signed out',
  'session.end': 'Ended a session',
  'session.end_others': 'Ended all other sessions',
  'session.end_all': 'Ended all sessions',
  'account.change_password': 'Changed the password',
  'account.reset_password': 'Set a new password',
  'second_factor.enable': 'Switched the second factor on',
  'second_factor.disable': 'Switched the second factor off',
  'second_factor.recovery_codes': 'Made new recovery codes',
  'second_factor.reset': 'Took the second factor away',
  'passkey.create': 'Added a passkey',
  'passkey.remove': 'Removed a passkey',
  'operator.create_first': 'Became the first operator',
  'operator.create': 'Became an operator',
  'operator.invite': 'Invited an operator',
  'operator.withdraw_invitation': 'Withdrew an invitation',
  'operator.change': 'Changed an operator',
  'operator.remove': 'Removed an operator',
  'token.create': 'Made a token',
  'token.revoke': 'Revoked a token',
  'platform.register': 'Registered a platform',
  'platform.change_modules': 'Changed the modules of a platform',
  'platform.activated': 'Switched a platform on',
  'platform.deactivated': 'Switched a platform off',
  'platform.remove': 'Removed a platform',
  'manifest.refresh': 'Refreshed a manifest',
  'module.delete_records': 'Deleted the records of a module',
  'module.drift_policy': 'Changed how a module treats drift',
  'module.indexed_fields': 'Chose indexed fields',
  'records.export': 'Exported records',
  'audit.export': 'Exported the audit',
  'pull.start': 'Started a pull',
  'pull.cancel': 'Cancelled a pull',
  'record.erase': 'Erased a record',
  'record.anonymise': 'Anonymised a record',
  'rejected_push.replay': 'Replayed a rejected push',
  'rejected_push.replay_all': 'Replayed rejected pushes',
  'rejected_push.dismiss': 'Dismissed rejected pushes',
  'schedule.paused': 'Paused the schedule',
  'schedule.resumed': 'Resumed the schedule',
  'missing_review.approve': 'Had missing records marked',
  'missing_review.dismiss': 'Dismissed a question about missing records',
  'tombstone.lift': 'Lifted a tombstone',
  'alert.acknowledged': 'Acknowledged an alert',
  'alert.test_mail': 'Sent a test mail',
}

/** Those that have words, by which one filters. */
export const AUDIT_ACTIONS: readonly string[] = Object.keys(ACTIONS)

/** `Revoked a token`; an action without words stands for itself. */
export function describeAction(action: string): string {
  return ACTIONS[action] ?? formatWord(action.replaceAll('.', ': '))
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** What else the audit knows, in one line. */
export function describeDetails(details: Readonly<Record<string, unknown>>): string {
  return Object.entries(details)
    .filter(([, value]) => value !== null && value !== '')
    .map(([name, value]) => `${formatWord(name).toLowerCase()} ${describeDetail(name, value)}`)
    .join(' · ')
}

function describeDetail(name: string, value: unknown): string {
  return name === 'browser' && typeof value === 'string' ? describeUserAgent(value) : inWords(value)
}

function inWords(value: unknown): string {
  if (typeof value === 'string') return INSTANT.test(value) ? formatTime(value) : value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return Array.isArray(value) ? value.map(inWords).join(', ') : JSON.stringify(value)
}
