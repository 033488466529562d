import { Readable } from 'node:stream'
import { type FastifyPluginAsyncTypebox, Type } from '@fastify/type-provider-typebox'
import { ErrorAnswer, SearchLine } from '@recordhub/protocol'
import { MAX_SEARCH_LENGTH, parseSearch } from '../../domain/search/search-text.ts'
import { HubError } from '../../errors.ts'
import { type SearchParts, searchEverywhere } from './search-everywhere.ts'

const LINES = 'application/x-ndjson'

/** Searching everywhere: a line of JSON for each answer, as it comes. */
export function searchRoute(
  parts: SearchParts & { stopping: AbortSignal },
): FastifyPluginAsyncTypebox {
  return async (app) => {
    app.get(
      '/api/v1/search',
      {
        exposeHeadRoute: false,
        // Compression would hold lines back.
        compress: false,
        schema: {
          summary: "Search the hub's records and every platform that can search",
          description: ABOUT,
          querystring: Type.Object(
            {
              query: Type.String({
                minLength: 1,
                maxLength: MAX_SEARCH_LENGTH,
                description: 'A keyword or a person',
              }),
            },
            { additionalProperties: false },
          ),
          response: {
            200: {
              description: 'Lines of JSON, each as soon as it is known',
              content: { [LINES]: { schema: Type.Unsafe<Readable>(SearchLine) } },
            },
            '4xx': ErrorAnswer,
          },
        },
      },
      async (request, reply) => {
        const query = readQuery(request.query.query)
        const leaving = new AbortController()
        reply.raw.once('close', () => leaving.abort())
        const signal = AbortSignal.any([leaving.signal, parts.stopping])
        const lines = searchEverywhere(parts, query, signal)
        // What cannot begin is an error as any other.
        const first = await lines.next()
        reply.header('X-Accel-Buffering', 'no').type(LINES)
        return reply.send(Readable.from(toText(first, lines)))
      },
    )
  }
}

const ABOUT =
  'A stream of lines (NDJSON): `asked` names the active platforms, `hub` has the records of the hub itself, ' +
  '`platform` is one for each that was asked, in the order in which they answer, at most 10 s each, and `end` ' +
  'is the last. Whoever leaves ends what is under way. A platform without a search endpoint is no error.'

/** @throws HubError `invalid_request` where nothing is asked for: all records would be found. */
function readQuery(text: string): string {
  const { substrings, prefixes } = parseSearch(text)
  if (substrings.length + prefixes.length > 0) return text.trim()
  const fault = 'must hold a letter or a digit to look for'
  throw new HubError(
    'invalid_request',
    { reason: `query ${fault}` },
    { errors: { query: [fault] } },
  )
}

async function* toText(
  first: IteratorResult<SearchLine, void>,
  rest: AsyncGenerator<SearchLine>,
): AsyncGenerator<string> {
  if (first.done) return
  yield toLine(first.value)
  for await (const line of rest) yield toLine(line)
}

const toLine = (line: SearchLine) => `${JSON.stringify(line)}\n`
