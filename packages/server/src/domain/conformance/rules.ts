/** Every rule by which a platform is judged. What the hub takes all the same is a warning at most. */
import { ERROR_CODES, type ErrorCode } from '../../errors.ts'
import { adviceFor } from '../connection-advice.ts'

export type Rule = {
  severity: 'error' | 'warning' | 'note'
  /** Of the specification. */
  section: string
  /** Words with `{places}`. */
  message: string
  advice: string
}

const OWN_RULES = {
  // Every endpoint
  'answer.type': warning(
    '4.2',
    'The answer is JSON, but its Content-Type is {type}.',
    'Send Content-Type: application/json.',
  ),
  'answer.slow': warning(
    '4.2',
    'The answer took {ms} ms to begin.',
    'Answer a ping and a manifest without going through the data; give a search an index.',
  ),
  'answer.unknown_path': warning(
    '4.2',
    'Records of a module that does not exist were answered with HTTP {status} instead of 404.',
    'Answer 404 for a record_type that is not in the manifest: a mistyped one must not look like an empty module.',
  ),
  'answer.changes': warning(
    '4.2',
    'Two calls right after each other gave different answers.',
    'Leave out of it what changes at each call, such as the time: the hub takes it for a change.',
  ),
  'answer.head': note(
    '4.2',
    'HEAD was answered with HTTP {status}.',
    'Answer HEAD as GET without its body, or with 405. The hub uses GET only; proxies and monitors use both.',
  ),
  'check.cut': note(
    '8',
    'Only the first {records} records were read, as --max-records says.',
    'Check again with a higher limit: what comes later was not looked at.',
  ),
  'check.out_of_time': warning(
    '8',
    'The time for the check was over before all had been looked at.',
    'Make the endpoint faster, or check again with a higher --max-seconds. A pull has 900 s for all platforms.',
  ),
  'check.more': note(
    '4.2',
    'There is more than is listed here: {count} findings of further kinds.',
    'Mend what is listed and check again.',
  ),

  // Keys
  'key.not_checked': error(
    '5',
    'It answered HTTP 200 {without}, as if the key did not matter.',
    'Compare X-PLATFORM-API-KEY with your key before anything else, at every endpoint, and answer 401 where it differs: at the moment anybody can read your records.',
  ),
  'key.status': warning(
    '5',
    'It refused a call {without} with HTTP {status} instead of 401.',
    'Answer 401 to whoever has no valid key. By another status the hub tells its operator of another trouble.',
  ),
  'key.leaks': error(
    '5',
    'The answer to a call {without} holds {what}.',
    'Answer 401 with {"success": false, "message": "…"} and nothing else.',
  ),
  'key.refusal_not_json': note(
    '5',
    'The refusal of a call {without} is not JSON.',
    'Answer {"success": false, "message": "…"} with Content-Type: application/json.',
  ),

  // Manifest
  'manifest.shape': error(
    '2.2',
    'It is not as agreed.',
    'Compare the manifest with the integration guide: names of members, and their types.',
  ),
  'manifest.duplicate_module': error(
    '2.2',
    'Two modules have the same record_type.',
    'Give each module a record_type of its own.',
  ),
  'manifest.duplicate_field': error(
    '2.2',
    'A module has two fields with the same key.',
    'Name each key once.',
  ),
  'manifest.record_type_unusable': error(
    '2.2',
    'A record_type cannot stand in an address.',
    'Use small letters, digits and underscores.',
  ),
  'manifest.record_type_awkward': warning(
    '2.2',
    'A record_type has characters that addresses have to escape, or differs from another one only by case.',
    'Use small letters, digits and underscores: routers and proxies differ in how they take others.',
  ),
  'manifest.text_unusable': error(
    '2.2',
    'A text of the manifest holds a null character or half of a surrogate pair.',
    'Send valid UTF-8 and leave null characters out.',
  ),
  'manifest.member_left_out': warning(
    '2.2',
    '"{field}" is left out; the hub takes {instead} for it.',
    'Send every member of the specification.',
  ),
  'manifest.member_unknown': note(
    '2.2',
    'The member "{field}" is none of the specification; the hub ignores it.',
    'Leave it out, or see whether it is a known one misspelt.',
  ),
  'manifest.type_unknown': warning(
    '2.2',
    'A type is none that the hub knows: values are taken for text.',
    'Use string, number, integer, boolean, date, datetime or json.',
  ),
  'manifest.blank': warning(
    '2.2',
    '"{field}" is empty somewhere, or has blanks at an end.',
    'People see it as a title or as the head of a column: trim it, and let it say something.',
  ),
  'manifest.title_long': warning(
    '2.2',
    '"{field}" has more than 100 characters somewhere.',
    'Titles and labels stand in tables: 100 characters are plenty.',
  ),
  'manifest.large': warning(
    '2.2',
    'The manifest has {bytes} bytes.',
    'A manifest describes modules and fields; leave records out of it.',
  ),
  'manifest.no_modules': warning(
    '2.2',
    'The manifest names no module, so there is nothing to receive.',
    'Name a module for each kind of record.',
  ),
  'manifest.no_fields': warning(
    '2.2',
    'A module names no fields, so its table in the hub has no columns.',
    'Name the keys that stand in the data of its records.',
  ),

  // Records answer
  'records.success': warning(
    '2.5',
    'The answer has no "success": true.',
    'Send "success": true with every answer that went well.',
  ),
  'records.member_missing': warning(
    '2.5',
    'The answer has no "{member}".',
    'Send platform_name, module_name, record_type and total beside records.',
  ),
  'records.member_differs': warning(
    '2.5',
    '"{member}" says {got}, but the manifest {expected}.',
    'Take it from where the manifest takes it.',
  ),
  'records.total_unreadable': warning(
    '2.5',
    '"total" is {got}, not a whole number.',
    'Send the number of records as a JSON number: by it the hub knows that all came.',
  ),
  'records.total_differs': warning(
    '2.5',
    '"total" says {total}, but {records} records came.',
    'Count what you send. Where they differ, the hub does not notice that records are gone.',
  ),
  'records.empty': note(
    '2.5',
    'The module lists no records, so none could be looked at.',
    'Check again with at least one record in each module.',
  ),
  'records.slow_start': warning(
    '4.2',
    'The first byte came after {seconds} s.',
    'Send records as they are read from the database instead of building the whole answer; use an index.',
  ),
  'records.slow': warning(
    '4.2',
    'The records came at {rate} a second.',
    'Read them with one query and a cursor, not with a query for each record. A pull of all platforms has 900 s.',
  ),
  'records.large_answer': note(
    '4.2',
    'The answer has {megabytes} MB.',
    'Send ETag, so that the hub reads it only when something has changed; or pages (Link: <…>; rel="next").',
  ),
  'records.unstable': warning(
    '2.5',
    'At a second read all {records} records were different.',
    'Leave out what changes at each call, such as the time of the answer or random texts: each pull would write every record anew.',
  ),
  'records.changed': note(
    '2.5',
    'A second read brought {records} records that were different, new or gone.',
    'Nothing to do where somebody works with the platform at the moment; else keep values the same as long as nobody changes them.',
  ),
  'records.etag_unusable': warning(
    '4.2',
    'The ETag {etag} cannot be sent back.',
    'An ETag is a text in double quotes, such as "2026-11-21-1234", W/ before it where the answer may be worded differently.',
  ),
  'records.etag_ignored': warning(
    '4.2',
    'It sends {validator}, but answers {condition} with HTTP {status} instead of 304.',
    'Compare If-None-Match with the ETag that you would send, and answer 304 without a body where they are the same.',
  ),
  'records.etag_stale': warning(
    '4.2',
    'The records changed between two reads, but the ETag stayed the same.',
    'The hub takes the same ETag for the same records and would miss changes: make it from the newest time of change and the number of records.',
  ),
  'records.link_unusable': warning(
    '4.2',
    'There is a Link header, but none that the hub follows: {link}.',
    'Write it as Link: <https://…/records/…?page=2>; rel="next".',
  ),
  'records.gzip_broken': warning(
    '4.2',
    'Asked with Accept-Encoding: gzip it failed: {reason}',
    'The hub does not ask for compression, but proxies may: have the web server compress, or nobody.',
  ),

  // Elements of records
  'record.reference': error(
    '2.5',
    'Records have no usable reference_number, so the hub refuses them.',
    'Send a text that is not empty, the same for ever for one record, and of 512 bytes at most.',
  ),
  'record.name': error(
    '2.5',
    'Records have no usable full_name, so the hub refuses them.',
    'Send a text, "" where there is no name.',
  ),
  'record.data': error(
    '2.5',
    'Records have no usable data, so the hub refuses them.',
    'Send an object: {"key": value, …}.',
  ),
  'record.unusable': error(
    '2.5',
    'Elements of records are none, so the hub refuses them.',
    'Each is an object of reference_number, full_name and data, at most 64 levels deep.',
  ),
  'record.too_large': error(
    '2.5',
    'Records are larger than 16 MiB, so the hub refuses them.',
    'Send addresses of files and not their content.',
  ),
  'record.large': warning(
    '2.5',
    'Records are larger than 1 MiB, which is the most that can be pushed.',
    'Send addresses of files and not their content.',
  ),
  'record.duplicate': error(
    '2.5',
    'A reference_number comes more than once; the hub takes the first one and refuses the others.',
    'Make it unique within the module; often a JOIN doubles the rows.',
  ),
  'record.reference_blank': warning(
    '2.5',
    'A reference_number has blanks at an end, or control characters in it.',
    'It is compared byte by byte: trim it here, and in every push.',
  ),
  'record.name_empty': warning(
    '2.5',
    'full_name is empty.',
    'People find records by it: send what the record is about.',
  ),
  'record.member_unknown': warning(
    '2.5',
    '"{member}" stands beside data; the hub ignores it.',
    'Put it into data, and name it in the manifest.',
  ),

  // Fields of data
  'field.unknown': warning(
    '2.2',
    '"{field}" is not in the manifest.',
    'Name it in the manifest: the hub keeps it, but shows no column for it.',
  ),
  'field.required_absent': warning(
    '2.2',
    '"{field}" is required by the manifest, and absent.',
    'Send it with each record, or do not call it required. An operator can have such records refused.',
  ),
  'field.required_null': warning(
    '2.2',
    '"{field}" is required by the manifest, and null.',
    'Send a value, or do not call it required.',
  ),
  'field.type': warning(
    '2.2',
    '"{field}" is {type} in the manifest, but values are something else.',
    'Send what the manifest says, or have it say what you send: the hub sorts and shows by it.',
  ),
  'field.date': warning(
    '2.2',
    '"{field}" holds dates that cannot be read.',
    'Write 2026-11-21 or 2026-11-21T07:30:00Z, and null where there is none.',
  ),
  'field.number': note(
    '2.2',
    '"{field}" holds numbers that many programs cannot keep as written.',
    'The hub keeps every digit; other readers of JSON round. Send long identifiers as text.',
  ),
  'field.never_filled': note(
    '2.2',
    '"{field}" is empty in every record.',
    'Fill it, or leave it out of the manifest.',
  ),
  'field.text_strange': warning(
    '2.3',
    '"{field}" holds characters that are likely damaged: null or control characters, half surrogate pairs, or U+FFFD.',
    'Look where they come from: often a text in another encoding, or cut in the middle of a character.',
  ),
  'field.text_twice_encoded': warning(
    '2.3',
    '"{field}" holds text that looks encoded twice, such as "Ã¼" for "ü".',
    'Read the database as UTF-8 (charset=utf8mb4) and encode once.',
  ),
  'field.text_escaped': warning(
    '2.3',
    '"{field}" holds HTML escapes, such as &amp; for &.',
    'Send texts as they are: JSON needs no HTML escapes.',
  ),

  // Search
  'search.absent': note(
    '4.2',
    'There is no search endpoint.',
    'It is optional. With it, operators find in the hub what your own search finds.',
  ),
  'search.not_understood': warning(
    '4.2',
    'The hub finds no list of records in the answer and shows it raw.',
    'Answer {"success": true, "records": [{"reference_number", "full_name", "record_type", "data"}]}.',
  ),
  'search.ignores_query': warning(
    '4.2',
    'A word that nobody could have written found {found} records.',
    'Read the parameter "query", and answer an empty list where nothing fits.',
  ),
  'search.misses': warning(
    '4.2',
    'The full_name of a record that is listed finds nothing.',
    'Search names and references at least, without regard to case.',
  ),
  'search.special': error(
    '4.2',
    'A query with quotes, percent signs and other characters fails: {reason}',
    'Decode the query once, and hand it to the database as a parameter: never put it into SQL yourself.',
  ),
  'search.many': warning(
    '4.2',
    'An answer holds {found} records.',
    'Answer the best 100 at most: the hub shows 20, and reads 1 MiB in 10 s.',
  ),
  'search.success': warning(
    '4.2',
    'The answer has no "success": true.',
    'Send "success": true with every answer that went well.',
  ),

  // Pushes
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
    'Keep a push until it was answered with 2xx, in a queue that outlives the request, and send it again after a while.',
  ),
  'push.retry_after_ignored': warning(
    '4.1',
    'A push came again before the time of Retry-After was over.',
    'Wait as many seconds as Retry-After says, and longer each time that it fails again.',
  ),
  'push.storm': error(
    '4.1',
    'A push {after} came again {count} times within {seconds} s.',
    'Do not try again at once: wait a second, then twice as long each time, up to some minutes.',
  ),
  'push.refused_again': error(
    '4.1',
    'A push that was refused with 422 came again and again.',
    'What is refused with 4xx stays refused: write it to your log, tell somebody, and go on with the next one. Try again after 401, 403, 404, 408 and 429 only.',
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

export type OwnRuleId = keyof typeof OWN_RULES
/** A rule of its own, or what a call came to in the words of the errors. */
export type RuleId = OwnRuleId | ErrorCode

export const RULES: Readonly<Record<OwnRuleId, Rule>> = OWN_RULES

export function ruleOf(id: RuleId): Rule {
  if (isOwnRule(id)) return RULES[id]
  return error('4.2', ERROR_CODES[id].message, adviceFor(id))
}

function isOwnRule(id: RuleId): id is OwnRuleId {
  return Object.hasOwn(RULES, id)
}

function error(section: string, message: string, advice: string): Rule {
  return { severity: 'error', section, message, advice }
}
function warning(section: string, message: string, advice: string): Rule {
  return { severity: 'warning', section, message, advice }
}
function note(section: string, message: string, advice: string): Rule {
  return { severity: 'note', section, message, advice }
}
