/** What pushes must be. */
import { MAX_PUSH_BACKOFF_SECONDS, PUSH_RETRY_SUMMARY } from '@recordhub/protocol/push-retry'
import { error, note, type Rule, warning } from './rule.ts'

export const PUSH_RULES = {
  'push.nothing': error(
    '4.1',
    'Nothing was pushed.',
    'Give the platform the address and the key that the check prints, and change something there.',
  ),
  'push.not_seen': note(
    '4.1',
    'It was not seen {what}.',
    'Let the check run longer, and change more on the platform meanwhile: each trouble is made with a push of its own.',
  ),
  'push.not_retried': error(
    '4.1',
    'A push {after} never came again: the hub would have missed the change.',
    `Keep each push in an outbox table until the hub has answered it with 2xx. ${PUSH_RETRY_SUMMARY}`,
  ),
  'push.retry_after_ignored': warning(
    '4.1',
    'A push came again before the time of Retry-After was over.',
    'Wait as many seconds as Retry-After says, and longer each time that it fails again.',
  ),
  'push.storm': error(
    '4.1',
    'A push {after} came again {count} times within {seconds} s.',
    `Do not retry at once: wait a second, then twice as long each time, up to ${MAX_PUSH_BACKOFF_SECONDS} seconds.`,
  ),
  'push.refused_again': error(
    '4.1',
    'A push that was refused with 422 came again and again.',
    `Log the rejected push, report it, and go on with the next one. ${PUSH_RETRY_SUMMARY}`,
  ),
  'push.order': warning(
    '4.1',
    'A later push of a record came before the one that had to be tried again.',
    'Send the pushes of one record one after the other; or send occurred_at, by which the hub knows which is newer.',
  ),
  'push.header': note('4.1', 'The header {header} is missing.', 'Send it with every push.'),
  'push.member_unknown': warning(
    '4.1',
    'The body has "{member}", which the hub ignores.',
    'Send record_type, module_name, reference_number, full_name, data and, where you like, occurred_at. The key says which platform it is.',
  ),
  'push.module_name': warning(
    '4.1',
    'module_name is not that of the manifest.',
    'Send the module_name and record_type that the manifest has.',
  ),
  'push.patch_unchanged': warning(
    '4.1',
    'A PATCH holds "{field}", which has not changed.',
    'Send the changed fields only: what is sent along overwrites what somebody else has changed meanwhile.',
  ),
  'push.reference_unknown': warning(
    '4.1',
    'A PATCH is for a record that was neither listed by the records endpoint nor pushed by POST.',
    'Use the same reference_number in the records endpoint and in pushes, and POST a record before it is patched.',
  ),
  'push.occurred_at': note(
    '4.1',
    'occurred_at is left out.',
    'Send when the change happened: by it the hub puts pushes in order that come late.',
  ),
  'push.occurred_at_future': warning(
    '4.1',
    'occurred_at is in the future, so the hub ignores it.',
    'Set the clock of the platform, and send the time with its zone.',
  ),
} as const satisfies Record<string, Rule>
