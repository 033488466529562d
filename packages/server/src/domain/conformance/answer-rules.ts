/** What every answer of a platform must be, its refusals and its search. */
import { error, note, type Rule, warning } from './rule.ts'

export const ANSWER_RULES = {
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
  'check.throttled': note(
    '4.2',
    'It answered HTTP 429, and was asked again after a while.',
    'Nothing to do where the limit is meant: a pull waits too, up to a minute. Without a limit for the hub it takes less time.',
  ),
  'check.more': note(
    '4.2',
    'There is more than is listed here: {count} findings of further kinds.',
    'Mend what is listed and check again.',
  ),
  'key.not_checked': error(
    '5',
    'It answered a call that has no valid key with HTTP 200, as if the key did not matter.',
    'Compare X-PLATFORM-API-KEY with your key before anything else, at every endpoint, and answer 401 where it differs: at the moment anybody can read your records.',
  ),
  'key.status': warning(
    '5',
    'It refused a call that has no valid key otherwise than with HTTP 401.',
    'Answer 401 to whoever has no valid key. By another status the hub tells its operator of another trouble.',
  ),
  'key.leaks': error(
    '5',
    'The answer to a call that has no valid key tells what only the key opens.',
    'Answer 401 with {"success": false, "message": "…"} and nothing else.',
  ),
  'key.refusal_not_json': note(
    '5',
    'The refusal of a call that has no valid key is not JSON.',
    'Answer {"success": false, "message": "…"} with Content-Type: application/json.',
  ),
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
} as const satisfies Record<string, Rule>
