/** Rules for records responses and for the records in them. */
import { error, note, type Rule, warning } from './rule.ts'

export const RECORD_RULES = {
  'records.success': warning(
    'Records',
    'The response has no "success": true.',
    'Send "success": true with every successful response: without it, the hub keeps the records, but marks none as missing, does not count the module as complete and ignores the ETag.',
  ),
  'records.member_missing': warning(
    'Records',
    'The response has no "{member}".',
    'Send platform_name, module_name, record_type and total in addition to records.',
  ),
  'records.member_differs': warning(
    'Records',
    '"{member}" is {got}, but {expected} in the manifest.',
    'Use the same source for both values.',
  ),
  'records.total_unreadable': warning(
    'Records',
    '"total" is {got}, not a whole number.',
    'Send the number of records as a JSON number: the hub uses it to verify that it received all records.',
  ),
  'records.total_differs': warning(
    'Records',
    '"total" is {total}, but the response contains {records} records.',
    'Count the records that you send. If the numbers differ, the hub does not mark missing records.',
  ),
  'records.empty': note(
    'Records',
    'The module lists no records, so none could be checked.',
    'Check again with at least one record in each module.',
  ),
  'records.slow_start': warning(
    'Records',
    'The first byte came after {seconds} s.',
    'Stream records while they are read from the database instead of building the complete response; use an index.',
  ),
  'records.slow': warning(
    'Records',
    'The platform sent {rate} records per second.',
    'Read them with one query and a cursor, not with one query per record. A pull of all platforms has 900 s.',
  ),
  'records.large_response': note(
    'Records',
    'The response has {megabytes} MB.',
    'Send an ETag, so that the hub reads the records only after changes; or send pages (Link: <…>; rel="next").',
  ),
  'records.unstable': warning(
    'Records',
    'All {records} records were different in a second read.',
    'Leave out values that change with each request, such as the time of the response or random texts: each pull would rewrite every record.',
  ),
  'records.changed': note(
    'Records',
    'In a second read, {records} records were different, new or missing.',
    'If the records were edited between the reads, do nothing; otherwise return the same values until a record is changed.',
  ),
  'records.etag_missing': note(
    'The ETag',
    'There is no ETag, so each pull reads all records: at least {size}.',
    'Send an ETag: while nothing has changed, a pull then costs one request and one query.',
  ),
  'records.etag_unusable': warning(
    'The ETag',
    'The ETag {etag} cannot be sent back.',
    'An ETag is a text in double quotes, such as "2026-11-21-1234", with W/ before it if only the content is the same and not each byte.',
  ),
  'records.etag_ignored': warning(
    'The ETag',
    'The platform sends {validator}, but responds to {condition} with HTTP {status} instead of 304.',
    'Compare If-None-Match with the ETag that you would send, and return 304 without a body if they are equal.',
  ),
  'records.etag_stale': warning(
    'The ETag',
    'The records changed between two reads, but the ETag stayed the same.',
    'With the same ETag, the hub assumes the same records and misses changes: derive it from a change counter kept by a trigger, or from count, maximum and the sum of a hash of reference and change time with microseconds.',
  ),
  'records.etag_seconds': warning(
    'The ETag',
    'The ETag {etag} contains a time in whole seconds.',
    'It stays the same when a second record changes within a second, and the hub misses the change: use a change counter kept by a trigger, or count, maximum and the sum of a hash of reference and change time with microseconds.',
  ),
  'records.link_unusable': warning(
    'Records',
    'There is a Link header that the hub cannot follow: {link}.',
    'Write it as Link: <https://…/records/…?page=2>; rel="next".',
  ),
  'records.last_page_linked': warning(
    'Records',
    'The last page has a link to a page that was already read.',
    'Send no Link header with the last page: the hub stops there only because it has as many records as the total.',
  ),
  'records.gzip_broken': warning(
    'Records',
    'A request with Accept-Encoding: gzip failed: {reason}',
    'The hub does not request compression, but proxies may: let the web server compress, or turn compression off.',
  ),
  'record.reference': error(
    'Records',
    'Records have no valid reference_number, so the hub rejects them.',
    'Send a text of 1 to 512 bytes that never changes for a record.',
  ),
  'record.name': error(
    'Records',
    'Records have no valid full_name, so the hub rejects them.',
    'Send a text, "" for a record without a name.',
  ),
  'record.data': error(
    'Records',
    'Records have no valid data, so the hub rejects them.',
    'Send an object: {"key": value, …}.',
  ),
  'record.unusable': error(
    'Records',
    'Elements of records are not valid records, so the hub rejects them.',
    'Each is an object with reference_number, full_name and data, at most 64 levels deep.',
  ),
  'record.too_large': error(
    'Records',
    'Records are larger than 16 MiB, so the hub rejects them.',
    'Send the URLs of files instead of their content.',
  ),
  'record.large': warning(
    'Records',
    'Records are larger than 1 MiB, the limit for pushes.',
    'Send the URLs of files instead of their content.',
  ),
  'record.duplicate': error(
    'Records',
    'A reference_number occurs more than once; the hub keeps the first record and rejects the others.',
    'Make it unique within the module; often a JOIN duplicates the rows.',
  ),
  'record.reference_blank': warning(
    'Records',
    'A reference_number has leading or trailing spaces, or contains control characters.',
    'It is compared byte by byte: trim it here and in every push.',
  ),
  'record.name_empty': warning(
    'Records',
    'full_name is empty.',
    'Operators find records by it: send the name of the person or thing.',
  ),
  'record.member_unknown': warning(
    'Records',
    'The member "{member}" is outside of data; the hub ignores it.',
    'Move it into data, and list it in the manifest.',
  ),
  'field.unknown': warning(
    'Manifest',
    '"{field}" is not in the manifest.',
    'List it in the manifest: the hub stores it, but shows no column for it.',
  ),
  'field.required_absent': warning(
    'Manifest',
    '"{field}" is required by the manifest, but missing.',
    'Send it with each record, or do not mark it as required. Operators can let the hub reject such records.',
  ),
  'field.required_null': warning(
    'Manifest',
    '"{field}" is required by the manifest, but null.',
    'Send a value, or do not mark it as required.',
  ),
  'field.type': warning(
    'Manifest',
    '"{field}" is {type} in the manifest, but values have another type.',
    'Make the values match the manifest, or the manifest match the values: the hub sorts and formats by the type.',
  ),
  'field.date': warning(
    'Manifest',
    '"{field}" contains dates that cannot be read.',
    'Send 2026-11-21 or 2026-11-21T07:30:00Z, and null for no date.',
  ),
  'field.number': note(
    'Manifest',
    '"{field}" contains numbers that many programs cannot represent exactly.',
    'The hub keeps every digit; other JSON parsers round them. Send long identifiers as text.',
  ),
  'field.never_filled': note(
    'Manifest',
    '"{field}" is empty in every record.',
    'Send values, or remove it from the manifest.',
  ),
  'field.text_strange': warning(
    'Manifest',
    '"{field}" contains characters that are probably damaged: null or control characters, lone surrogates, or U+FFFD.',
    'Find their origin: often text in another encoding, or text cut in the middle of a character.',
  ),
  'field.text_twice_encoded': warning(
    'Manifest',
    '"{field}" contains text that seems to be encoded twice, such as "Ã¼" for "ü".',
    'Read the database as UTF-8 (charset=utf8mb4) and encode once.',
  ),
  'field.text_escaped': warning(
    'Manifest',
    '"{field}" contains HTML escapes, such as &amp; for &.',
    'Send plain text: JSON needs no HTML escapes.',
  ),
} as const satisfies Record<string, Rule>
