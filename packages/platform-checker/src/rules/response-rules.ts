/** Rules for all responses of a platform, for rejected keys and for the search. */
import { error, note, type Rule, warning } from './rule.ts'

export const RESPONSE_RULES = {
  'response.type': warning(
    'The endpoints',
    'The response is JSON, but its Content-Type is {type}.',
    'Send Content-Type: application/json. PHP sends text/html unless a header is set.',
  ),
  'response.slow': warning(
    'The endpoints',
    'The response took {ms} ms to begin.',
    'Respond to a ping and a manifest without reading the data; add an index for the search.',
  ),
  'response.unknown_path': warning(
    'The endpoints',
    'The response for a module that does not exist was HTTP {status} instead of 404.',
    'Return 404 for a record_type that is not in the manifest, so that a mistyped one does not look like an empty module.',
  ),
  'response.changes': warning(
    'The endpoints',
    'Two consecutive requests returned different responses.',
    'Leave out values that change with each request, such as the time: the hub treats them as changes.',
  ),
  'response.head': note(
    'The endpoints',
    'The response to HEAD was HTTP {status}.',
    'Respond to HEAD as to GET without the body, or with 405. The hub uses GET only; proxies and monitoring use both.',
  ),
  'check.cut': note(
    'The conformance check',
    'Only the first {records} records were read, because of --max-records.',
    'Check again with a higher limit to include the other records.',
  ),
  'check.out_of_time': warning(
    'The conformance check',
    'The time limit ended the check before it was complete.',
    'Make the endpoint faster, or check again with a higher --max-seconds. A pull of all platforms has 900 s.',
  ),
  'check.throttled': note(
    'The endpoints',
    'The platform responded with HTTP 429, and the request was sent again later.',
    'If the limit is intended, do nothing: a pull waits too, up to a minute. Without a limit for the hub, a pull is faster.',
  ),
  'check.more': note(
    'The endpoints',
    'There are {count} more findings than are listed here.',
    'Fix the listed findings and check again.',
  ),
  'key.not_checked': error(
    'The two keys',
    'The response to a request without a valid key is HTTP 200, so the key is not checked.',
    'Compare X-PLATFORM-API-KEY with your key first, at every endpoint, and return 401 if they differ: at present, your records can be read without a key.',
  ),
  'key.status': warning(
    'The two keys',
    'A request without a valid key was rejected, but not with HTTP 401.',
    'Return 401 if the key is not valid. With another status, the hub reports another error to its operators.',
  ),
  'key.leaks': error(
    'The two keys',
    'The response to a request without a valid key contains protected data.',
    'Return 401 with {"success": false, "message": "…"} and nothing else.',
  ),
  'key.rejection_not_json': note(
    'The two keys',
    'The 401 response to a request without a valid key is not JSON.',
    'Return {"success": false, "message": "…"} with Content-Type: application/json.',
  ),
  'search.absent': note(
    'Search (optional)',
    'There is no search endpoint.',
    'It is optional. With it, operators can search the platform itself from the hub.',
  ),
  'search.not_understood': warning(
    'Search (optional)',
    'The hub finds no list of records in the response and shows it as raw JSON.',
    'Return {"success": true, "records": [{"reference_number", "full_name", "record_type", "data"}]}.',
  ),
  'search.ignores_query': warning(
    'Search (optional)',
    'A search for a random word found {found} records.',
    'Read the parameter "query", and return an empty list if no record matches.',
  ),
  'search.misses': warning(
    'Search (optional)',
    'The search does not find a listed record by its full_name or reference_number.',
    'Search at least names and references, case-insensitively.',
  ),
  'search.special': error(
    'Search (optional)',
    'A query with quotes, percent signs and other special characters fails: {reason}',
    'Decode the query once, and pass it to the database as a parameter: never insert it into SQL text.',
  ),
  'search.many': warning(
    'Search (optional)',
    'A response contains {found} records.',
    'Return at most the 100 best matches: the hub shows 20, and reads 1 MiB in 10 s.',
  ),
  'search.success': warning(
    'Search (optional)',
    'The response has no "success": true.',
    'Send "success": true with every successful response.',
  ),
} as const satisfies Record<string, Rule>
