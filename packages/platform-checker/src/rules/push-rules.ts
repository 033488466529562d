/** Rules for pushes. */
import { MAX_PUSH_BACKOFF_SECONDS, PUSH_RETRY_SUMMARY } from '@recordhub/protocol/push-retry'
import { error, note, type Rule, warning } from './rule.ts'

export const PUSH_RULES = {
  'push.nothing': error(
    'Pushing changes',
    'No push was received.',
    'Configure the platform with the address and the key that the check prints, and change a record there.',
  ),
  'push.not_seen': note(
    'Pushing changes',
    'Not observed: {behaviour}.',
    'Run the check longer, and change more records on the platform meanwhile: each injected fault needs another push.',
  ),
  'push.blocked': note(
    'Pushing changes',
    'Not observed: {behaviour}. It is blocked by the push {after}, which was not retried.',
    'Let the platform retry that push first: the check injects one fault after the other.',
  ),
  'push.not_retried': error(
    'Pushing changes',
    'A push {after} was not retried: the hub would have missed the change.',
    `Store each push in an outbox table until the hub has responded with 2xx. ${PUSH_RETRY_SUMMARY}`,
  ),
  'push.retry_after_ignored': warning(
    'Pushing changes',
    'A push was retried before the time of Retry-After was over.',
    'Wait for the time in Retry-After, and longer after each further failure.',
  ),
  'push.storm': error(
    'Pushing changes',
    'A push {after} was sent again {count} times within {seconds} s.',
    `Do not retry at once: wait a second, then twice as long each time, up to ${MAX_PUSH_BACKOFF_SECONDS} seconds.`,
  ),
  'push.rejected_again': error(
    'Pushing changes',
    'A push that was rejected with 422 was sent again repeatedly.',
    `Log the rejected push, report it, and continue with the next one. ${PUSH_RETRY_SUMMARY}`,
  ),
  'push.order': warning(
    'Pushing changes',
    'A later push of a record was sent before the retry of an earlier one.',
    'Send the pushes of one record one after the other; or send occurred_at, by which the hub orders them.',
  ),
  'push.header': note(
    'Pushing changes',
    'The header {header} is missing.',
    'Send it with every push.',
  ),
  'push.member_unknown': warning(
    'Pushing changes',
    'The body has the member "{member}", which the hub ignores.',
    'Send record_type, module_name, reference_number, full_name, data and, optionally, occurred_at. The key identifies the platform.',
  ),
  'push.module_name': warning(
    'Pushing changes',
    'module_name differs from the manifest.',
    'Send the module_name and record_type of the manifest.',
  ),
  'push.patch_unchanged': warning(
    'Pushing changes',
    'A PATCH contains "{field}", which has not changed.',
    'Send only the changed fields: the others overwrite what was changed elsewhere meanwhile.',
  ),
  'push.reference_unknown': warning(
    'Pushing changes',
    'A PATCH is for a record that the records endpoint does not list and no POST has created.',
    'Use the same reference_number in the records endpoint and in pushes, and send a POST before the first PATCH.',
  ),
  'push.occurred_at': note(
    'Pushing changes',
    'occurred_at is missing.',
    'Send the time of the change, by which the hub orders late pushes.',
  ),
  'push.occurred_at_future': warning(
    'Pushing changes',
    'occurred_at is in the future, so the hub ignores it.',
    'Set the clock of the platform, and send the time with its zone.',
  ),
} as const satisfies Record<string, Rule>
