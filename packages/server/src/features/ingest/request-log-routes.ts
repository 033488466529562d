import {
  type LoggedRequest,
  LoggedRequestCounts,
  LoggedRequestDetails,
  LoggedRequestFilter,
  LoggedRequestPage,
  type LoggedRequestFilter as Query,
} from '@recordhub/protocol'
import { Type } from 'typebox'
import { toStatusRange } from '../../domain/activity/request-log.ts'
import { found } from '../../errors.ts'
import { Cursor, Limit, readTime, route } from '../../http/route.ts'
import { yieldToEventLoop } from '../../lib/concurrency/yield-to-event-loop.ts'
import { daysFrom } from '../../lib/time/clock.ts'
import { limitWork } from '../../lib/time/work-limit.ts'
import type {
  RequestFilter,
  RequestStore,
  StoredRequest,
} from '../../storage/port/activity-store.ts'
import type { FeatureDeps } from '../feature-deps.ts'

const PAGE = 50
/** A list ends its page, and a count ends, after this time: the log has no index. */
const MAX_MS = 500
const FIRST_ERROR = 400

type Deps = Pick<FeatureDeps, 'requests' | 'pushErrors' | 'clock'>

/** Lists, counts and reads the requests to the receiver of the last 24 hours. */
export function requestLogRoutes(deps: Deps) {
  const { requests } = deps
  return [
    route('GET /api/v1/requests', {
      summary: 'List the requests to the receiver in the last 24 hours',
      description:
        'Newest first, with `cursor` for older ones. With `after` and the `newest_cursor` of the last response, those that were logged since then, oldest first: as long as a response has `limit` requests, there may be more.',
      query: {
        ...LoggedRequestFilter.properties,
        limit: Limit,
        cursor: Cursor,
        after: Type.Optional(
          Type.Integer({ minimum: 0, description: 'The `newest_cursor` of an earlier response' }),
        ),
      },
      response: LoggedRequestPage.properties,
      async handle({ query: { limit = PAGE, cursor, after, ...query } }) {
        // Read first: what is logged in the meantime belongs to the next read.
        const newest = await requests.readNewestPosition()
        const filter = await toFilter(deps, query)
        if (filter === null)
          return { requests: [], next_cursor: null, newest_cursor: String(newest) }
        const order = after === undefined ? 'newest' : 'oldest'
        const { page, next } = await scan(order, after ?? cursor ?? newest + 1, limit, filter)
        // Up to here, a follower has all requests that match.
        const end = Math.max(newest, after ?? 0, page.at(-1)?.id ?? 0)
        const read = after === undefined ? newest : (next ?? end)
        return {
          requests: page.map(toLogged),
          next_cursor: after === undefined && next !== null ? String(next) : null,
          newest_cursor: String(read),
        }
      },
    }),

    route('GET /api/v1/requests/counts', {
      summary: 'Count the requests to the receiver in the last 24 hours by class of status',
      query: LoggedRequestFilter.properties,
      response: LoggedRequestCounts.properties,
      async handle({ query }) {
        const counts = { all: 0, '2xx': 0, '4xx': 0, '5xx': 0 }
        const filter = await toFilter(deps, query)
        if (filter === null) return { counts, complete: true }
        let start: number | null = null
        for await (const _ of steps()) {
          const step: CountStep = await requests.countRequests({ ...filter, start })
          for (const [digit, count] of Object.entries(step.counts)) {
            counts.all += count
            if (digit === '2' || digit === '4' || digit === '5') counts[`${digit}xx`] += count
          }
          start = step.next
          if (start === null) break
        }
        return { counts, complete: start === null }
      },
    }),

    route('GET /api/v1/requests/:id', {
      summary: 'Read a request to the receiver with its headers, body and response',
      response: { request: LoggedRequestDetails },
      async handle({ params: { id } }) {
        const { details, ...request } = found('request', await requests.readRequest(id))
        const { headers = null, body = null, response = null } = details ?? {}
        return { request: { ...toLogged(request), headers, body, response } }
      },
    }),
  ]

  async function scan(
    order: 'newest' | 'oldest',
    start: number,
    limit: number,
    filter: RequestFilter,
  ) {
    const page: StoredRequest[] = []
    let next: number | null = start
    for await (const _ of steps()) {
      const left = limit - page.length
      const step = await requests.scanRequests({ ...filter, order, start: next, limit: left })
      page.push(...step.requests)
      next = step.next
      if (next === null || page.length === limit) break
    }
    return { page, next }
  }
}

type CountStep = Awaited<ReturnType<RequestStore['countRequests']>>

/** Steps within the time limit. Pushes are received between them. */
async function* steps(): AsyncGenerator<void> {
  const time = limitWork(MAX_MS)
  do {
    yield
    await yieldToEventLoop()
  } while (!time.isOver())
}

/** Null if no request can match, because no platform has the name. */
async function toFilter(
  { pushErrors, clock }: Pick<Deps, 'pushErrors' | 'clock'>,
  query: Query,
): Promise<RequestFilter | null> {
  const { platform, record_type = null, status, request_id = null, since, until } = query
  const sources = platform === undefined ? [] : await pushErrors.listPushSources()
  const source = sources.find(({ platform_name }) => platform_name === platform) ?? null
  if (platform !== undefined && source === null) return null
  // Older ones are deleted once an hour.
  const oldest = daysFrom(clock.now(), -1)
  const from = readTime('since', since) ?? oldest
  return {
    ...{ source, record_type, request_id },
    status: status === undefined ? null : toStatusRange(status),
    since: from > oldest ? from : oldest,
    until: readTime('until', until),
  }
}

function toLogged({ latency_us, outcome, ...request }: StoredRequest): LoggedRequest {
  const latency_ms = latency_us / 1000
  if (request.status >= FIRST_ERROR) {
    return { ...request, latency_ms, outcome: 'rejected', code: outcome }
  }
  return { ...request, latency_ms, outcome: toOutcome(outcome), code: null }
}

const OUTCOMES = ['created', 'updated', 'unchanged', 'stale', 'held'] as const

function toOutcome(outcome: string | null) {
  return OUTCOMES.find((one) => one === outcome) ?? null
}
