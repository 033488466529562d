/** What a records answer must be, and its records. */
import { error, note, type Rule, warning } from './rule.ts'

export const RECORD_RULES = {
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
    '"total" says {total}, but the number of records is {records}.',
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
} as const satisfies Record<string, Rule>
