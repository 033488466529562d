import { Readable } from 'node:stream'
import { AlertEventsResponse, ClosedObject, RequestText } from '@recordhub/protocol'
import { Type } from 'typebox'
import { writeAlertFeed } from '../../domain/alerts/alert-feed.ts'
import { busy } from '../../errors.ts'
import { Limit, special } from '../../http/route.ts'
import { etagOf, matchesEtag, NOT_MODIFIED } from '../../lib/net/http.ts'
import { abortOnClose } from '../../lib/net/ndjson.ts'
import { createDeadline } from '../../lib/time/deadline.ts'
import type { FeatureDeps } from '../feature-deps.ts'
import { type AlertEventSignal, readAlertEvents } from './follow-alert-events.ts'

const FEED_ENTRIES = 100
const PAGE = 100
const MAX_WAIT_SECONDS = 60
/** Requests that wait for events, per process. Each occupies a connection and some memory. */
const MAX_WAITING = 200
const BUSY_SECONDS = 10
/** The pause after which a client of server-sent events reconnects. */
const RETRY_MS = 5000

const EVENT_STREAM = 'text/event-stream'
const text = { schema: Type.String() }

type Deps = Pick<FeatureDeps, 'alertEvents' | 'config' | 'version'> & {
  signal: AlertEventSignal
  heartbeatMs: number
  /** Ends all streams. */
  stopping: AbortSignal
}

/** Alerts for other programs: the Atom feed, and the events to follow. */
export function alertEventRoutes(deps: Deps) {
  const { alertEvents, signal, config, version, stopping } = deps
  let waiting = 0

  /** @throws HubError `busy`. */
  function acquireSlot(): () => void {
    if (waiting >= MAX_WAITING) throw busy(BUSY_SECONDS)
    waiting += 1
    return () => {
      waiting -= 1
    }
  }

  return [
    special('GET /api/v1/alerts/feed', {
      summary: 'Read the Atom feed of alerts',
      description:
        'For feed readers, which authenticate with HTTP Basic: a token (scope `alerts`) as the password, and any user name. The feed has the latest 100 events.',
      response: {
        200: { description: 'The feed', content: { 'application/atom+xml': text } },
        304: NOT_MODIFIED,
      },
      async handle(request, reply) {
        const feed = await alertEvents.readAlertFeed(FEED_ENTRIES)
        const url = config.HUB_PUBLIC_URL || `${request.protocol}://${request.host}`
        const body = writeAlertFeed(feed, { url, version })
        const etag = etagOf(body)
        reply.header('ETag', etag).header('Cache-Control', 'private, no-cache')
        if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
        return reply.type('application/atom+xml; charset=utf-8').send(body)
      },
    }),

    special('GET /api/v1/alerts/events', {
      summary: 'Follow alerts: raised, acknowledged, resolved',
      description: `Start without \`since\` to read all stored events, or with \`since=latest\` to read only new ones, then pass \`next_cursor\` as \`since\`. With \`wait_seconds\`, the response waits until there is an event. With \`Accept: ${EVENT_STREAM}\`, events are sent as they happen, and \`Last-Event-ID\` replaces \`since\`. No event is skipped or repeated.`,
      headers: Type.Object({ 'last-event-id': Type.Optional(Type.Integer({ minimum: 0 })) }),
      query: ClosedObject({
        since: Type.Optional(RequestText({ pattern: '^(latest|\\d{1,15})$' })),
        wait_seconds: Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_WAIT_SECONDS })),
        limit: Limit,
      }),
      response: {
        200: {
          description: 'A page of events, or a stream of them',
          content: { 'application/json': { schema: AlertEventsResponse }, [EVENT_STREAM]: text },
        },
      },
      ...{ exposeHeadRoute: false, compress: false },
      async handle(request, reply) {
        const { since = '0', wait_seconds = 0, limit = PAGE } = request.query
        const closed = AbortSignal.any([abortOnClose(reply), stopping])
        const isStream = String(request.headers.accept ?? '').includes(EVENT_STREAM)
        const lastEventId = isStream ? request.headers['last-event-id'] : undefined
        const after = Number(
          lastEventId ?? (since === 'latest' ? await alertEvents.readLastAlertEventId() : since),
        )
        const first = await readAlertEvents(deps, after, limit)
        if (isStream) {
          const release = acquireSlot()
          const stream = Readable.from(streamEvents(deps, { first, limit, closed }))
          stream.once('close', release)
          reply.header('X-Accel-Buffering', 'no')
          return reply.type(`${EVENT_STREAM}; charset=utf-8`).send(stream)
        }
        let page = first
        if (page.events.length === 0 && wait_seconds > 0) {
          const release = acquireSlot()
          using deadline = createDeadline(wait_seconds * 1000, closed)
          try {
            while (page.events.length === 0 && !deadline.signal.aborted) {
              await signal.wait(page.through, deadline.signal)
              page = await readAlertEvents(deps, page.through, limit)
            }
          } finally {
            release()
          }
        }
        const { events, through, has_more } = page
        return { success: true, events, next_cursor: String(through), has_more }
      },
    }),
  ]
}

/** Ends when the client or the hub closes the connection, or when the database fails. */
async function* streamEvents(
  deps: Deps,
  options: {
    first: Awaited<ReturnType<typeof readAlertEvents>>
    limit: number
    closed: AbortSignal
  },
): AsyncGenerator<string> {
  const { signal, heartbeatMs } = deps
  const { first, limit, closed } = options
  yield `retry: ${RETRY_MS}\n\n`
  let page = first
  let hasBeenIdle = false
  while (!closed.aborted) {
    for (const event of page.events) {
      yield `id: ${event.cursor}\ndata: ${JSON.stringify(event)}\n\n`
    }
    // The position without an event, so that the client can resume there.
    if (page.events.length === 0) {
      yield hasBeenIdle ? ': heartbeat\n\n' : `id: ${page.through}\n\n`
      hasBeenIdle = true
    }
    if (!page.has_more) {
      using deadline = createDeadline(heartbeatMs, closed)
      await signal.wait(page.through, deadline.signal)
    }
    if (closed.aborted) return
    const next = await readAlertEvents(deps, page.through, limit).catch(() => null)
    if (next === null) return
    page = next
  }
}
