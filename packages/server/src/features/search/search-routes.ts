import { Readable } from 'node:stream'
import { ClosedObject, OneOf, RequestText, SearchLine } from '@recordhub/protocol'
import { Type } from 'typebox'
import { MAX_SEARCH_LENGTH, parseSearch } from '../../domain/search/search-text.ts'
import { invalidMember } from '../../errors.ts'
import { special } from '../../http/route.ts'
import { abortOnClose, NDJSON_TYPE, sendLines, toJsonLine } from '../../lib/net/ndjson.ts'
import { type SearchDeps, searchEverywhere } from './search-everywhere.ts'

/** Searches everywhere, and sends each result as a line of JSON when it is available. */
export function searchRoutes(deps: SearchDeps & { stopping: AbortSignal }) {
  return [
    special('GET /api/v1/search', {
      summary: "Search the hub's records and every platform that can search",
      description: ABOUT,
      query: ClosedObject({
        query: Type.String({
          minLength: 1,
          maxLength: MAX_SEARCH_LENGTH,
          description: 'A keyword or a person',
        }),
        hub_only: Type.Optional(OneOf('true', 'false')),
        record_type: Type.Optional(RequestText()),
        platform: Type.Optional(RequestText()),
      }),
      response: {
        200: {
          description: 'Lines of JSON',
          content: { [NDJSON_TYPE]: { schema: SearchLine } },
        },
      },
      // Compression would delay the lines.
      ...{ exposeHeadRoute: false, compress: false },
      async handle(request, reply) {
        const { query, hub_only, ...scope } = request.query
        const search = { q: readQuery(query), ...scope, hubOnly: hub_only === 'true' }
        const signal = AbortSignal.any([abortOnClose(reply), deps.stopping])
        const lines = searchEverywhere(deps, search, signal)
        // An error before the first line is sent as an error response.
        const first = await lines.next()
        return sendLines(reply, Readable.from(toText(first, lines)))
      },
    }),
  ]
}

const ABOUT =
  'Returns a stream of JSON lines (NDJSON). `started` lists the active platforms, `hub` has the records of the hub, ' +
  'one `platform` line per platform follows in the order in which they respond, each within 10 s, and `end` is the ' +
  'last line. Closing the connection cancels the search. A platform without a search endpoint is not an error. With ' +
  '`hub_only`, no platform is searched. `record_type` and `platform` narrow the records of the hub.'

/** @throws HubError `invalid_request` for a query without a letter or digit, which would match all records. */
function readQuery(text: string): string {
  if (parseSearch(text).length > 0) return text.trim()
  throw invalidMember('query', 'must contain a letter or a digit')
}

async function* toText(
  first: IteratorResult<SearchLine, void>,
  rest: AsyncGenerator<SearchLine>,
): AsyncGenerator<string> {
  if (first.done) return
  yield toJsonLine(first.value)
  for await (const line of rest) yield toJsonLine(line)
}
