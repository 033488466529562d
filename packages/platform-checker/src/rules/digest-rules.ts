/** Rules for versions of records, the digest, and reads of some prefixes. All of them are optional. */
import { note, type Rule, warning } from './rule.ts'

export const DIGEST_RULES = {
  'digest.version': warning(
    'The digest (optional)',
    'A version is neither a text of 1 to 512 bytes nor an integer, so the hub ignores it.',
    'Send the version as text, such as a change time with microseconds, or as an integer without a point or an exponent.',
  ),
  'digest.version_missing': warning(
    'The digest (optional)',
    '{missing} of {records} records have no version, so the hub requests no digest.',
    'Send a version with every record: replace NULL by a text, with the same SQL expression in list and digest.',
  ),
  'digest.version_unstable': warning(
    'The digest (optional)',
    'Two reads returned the same records with other versions.',
    'A version changes only when something in its record changes: do not include the time of the request or random values.',
  ),
  'digest.failed': warning(
    'The digest (optional)',
    'A request for {what} got HTTP {status}.',
    'Respond with 200; or with 404 to digest requests, if you do not offer a digest.',
  ),
  'digest.invalid': warning(
    'The digest (optional)',
    'The digest {reason}.',
    'Send {"success": true, "platform_name": …, "record_type": …, "digits": 3, "buckets": [["3f4", 152, 27149], …]}, each bucket once.',
  ),
  'digest.disagrees': warning(
    'The digest (optional)',
    'List and digest disagree in {buckets} of {total} buckets.',
    'Hash the same text that you list: reference_number as sent, U+001F, and the version of the same SQL expression, in UTF-8. Until then the hub does not take both sides as equal.',
  ),
  'digest.changed': note(
    'The digest (optional)',
    'List and digest differed at first, but agreed when they were read again.',
    'If records were edited during the check, do nothing; otherwise read both from the same database, not from a replica or a cache.',
  ),
  'digest.prefix_ignored': warning(
    'The digest (optional)',
    'The response to ?prefix={prefix} contains records of other buckets.',
    'Send only the records whose md5(reference_number) begins with one of the prefixes: otherwise the hub reads all records.',
  ),
  'digest.prefix_not_repeated': warning(
    'The digest (optional)',
    'The response to ?prefix={prefix} has no "prefix": "{prefix}".',
    'Repeat the parameter as it was sent: without it the hub does not believe an empty list.',
  ),
  'digest.prefix_incomplete': warning(
    'The digest (optional)',
    'The response to ?prefix={prefix} has other records than the list: {got} instead of {expected}, or with other versions.',
    'Select the records with the same query as the list, and the first digits of the same MD5 as the digest.',
  ),
} as const satisfies Record<string, Rule>
