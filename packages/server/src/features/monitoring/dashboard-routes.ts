/** The snapshot that the page polls, and the stream of events about what has changed. */
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gzip as gzipOfText } from 'node:zlib'
import { AutoSyncResponse, CHANGE_REASONS, Snapshot } from '@recordhub/protocol'
import { Type } from 'typebox'
import { HubError } from '../../errors.ts'
import { scoped, special } from '../../http/route.ts'
import { ignoreBody, matchesEtag, NOT_MODIFIED, sendCompressed } from '../../lib/net/http.ts'
import type { Broadcaster, HubEvent } from './broadcast.ts'
import type { ReadSnapshot } from './read-snapshot.ts'

const gzip = promisify(gzipOfText)

async function compress(plain: string): Promise<{ plain: string; gzipped: Buffer }> {
  return { plain, gzipped: await gzip(plain) }
}

/** The routes that the page polls. */
export function dashboardRoutes({ readSnapshot }: { readSnapshot: ReadSnapshot }) {
  /** Each snapshot is serialized and compressed once for all pages. */
  const bodies = new WeakMap<Snapshot, ReturnType<typeof compress>>()
  return [
    special('GET /dashboard/realtime', {
      summary: 'Read the snapshot of the dashboard; performs no pull and no write',
      response: { 200: Snapshot, 304: NOT_MODIFIED },
      compress: false,
      async handle(request, reply) {
        const { snapshot, etag } = await readSnapshot()
        reply.header('ETag', etag)
        if (matchesEtag(request.headers['if-none-match'], etag)) return reply.code(304).send()
        const body = bodies.get(snapshot) ?? compress(String(reply.serialize(snapshot)))
        bodies.set(snapshot, body)
        reply.type('application/json; charset=utf-8')
        return sendCompressed(request, reply, await body)
      },
    }),

    // Legacy pages still send this request, with any body.
    scoped(
      ignoreBody,
      special('POST /dashboard/auto-sync', {
        summary: 'Respond that browser auto-sync is disabled',
        response: { 200: AutoSyncResponse },
        handle: () => ({
          success: true,
          status: 'idle',
          message:
            'Browser auto-sync is disabled. Automatic pulling is handled by the server-side scheduler and background jobs.',
        }),
      }),
    ),
  ]
}

/** Server-sent events with what has changed. */
export function eventRoutes(deps: {
  /** Null if broadcasting is off. */
  broadcaster: Broadcaster | null
  /** The pause between two heartbeats: proxies close connections without traffic. */
  heartbeatMs: number
}) {
  const { broadcaster, heartbeatMs } = deps
  return [
    special('GET /dashboard/events', {
      summary: 'Subscribe to server-sent events about changes, unless HUB_BROADCAST is off',
      response: { 200: EVENTS },
      ...{ exposeHeadRoute: false, compress: false },
      handle(_, reply) {
        if (!broadcaster) throw HubError.withMessage('not_found', OFF)
        const { stream, send, end } = openStream()
        const unsubscribe = broadcaster.subscribe({ onEvents: send, onEnd: end })
        const heartbeat = setInterval(() => send([{ name: 'heartbeat', content: {} }]), heartbeatMs)
        heartbeat.unref()
        stream.once('close', () => {
          clearInterval(heartbeat)
          unsubscribe()
        })
        reply.header('X-Accel-Buffering', 'no')
        return reply.type('text/event-stream; charset=utf-8').send(stream)
      },
    }),
  ]
}

/** Before the first event: the browser reconnects after this time. */
const RETRY = 'retry: 5000\n\n'

const REASONS = CHANGE_REASONS.filter((reason) => reason !== 'requests')

const EVENTS = {
  description: [
    'Server-sent events, at most one per second of a name. The data of an event is a JSON object:',
    '- `pull.progress` and `pull.ended`: `{"pull": …}`, as in the snapshot',
    '- `schedule.changed`: `{"schedule": …}`, as in `GET /api/v1/schedule`',
    '- `platform.health`: `{"platforms": [{"id", "health"}]}` of those whose health has changed',
    `- \`changed\`: \`{"reasons": […]}\`, what has changed: ${REASONS.join(', ')}`,
    '- `requests.logged`: `{}`, the request log has more requests: read those after the `newest_cursor` of `GET /api/v1/requests`',
    '- `heartbeat`: `{}`, at least every 15 s',
    '',
    'A stream begins with the state of the running pull or of the last one, and a heartbeat.',
  ].join('\n'),
  content: { 'text/event-stream': { schema: Type.String() } },
}

const OFF = 'Broadcasting is off (HUB_BROADCAST). The dashboard polls every 10 s instead.'

/**
 * The stream of one client. While the client does not read, one event of each name waits for it: the latest one, with what
 * the earlier ones say of other platforms and reasons.
 */
export function openStream() {
  const pending = new Map<string, HubEvent>()
  let isWanted = false
  let isClosed = false
  const stream = new Readable({ read: () => push(true) })
  stream.once('close', () => {
    isClosed = true
  })
  stream.push(RETRY)

  function push(isRead: boolean): void {
    isWanted ||= isRead
    if (!isWanted || isClosed || pending.size === 0) return
    const text = [...pending.values()].map(toText).join('')
    pending.clear()
    isWanted = false
    stream.push(text)
  }

  return {
    stream,
    send(events: readonly HubEvent[]): void {
      for (const event of events) {
        const { name } = event
        const waiting = pending.get(name)
        // Removed first, so that it becomes the last one.
        pending.delete(name)
        pending.set(name, waiting ? combine(waiting, event) : event)
      }
      push(false)
    },
    end(): void {
      if (!isClosed) stream.push(null)
      isClosed = true
    },
  }
}

function toText({ name, content }: HubEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(content)}\n\n`
}

/** Returns one event in place of two of the same name. */
function combine(earlier: HubEvent, later: HubEvent): HubEvent {
  if (earlier.name === 'changed' && later.name === 'changed') {
    const named = new Set([...earlier.content.reasons, ...later.content.reasons])
    const reasons = CHANGE_REASONS.filter((reason) => named.has(reason))
    return { name: 'changed', content: { reasons } }
  }
  if (earlier.name === 'platform.health' && later.name === 'platform.health') {
    const all = [...earlier.content.platforms, ...later.content.platforms]
    const platforms = [...new Map(all.map((platform) => [platform.id, platform])).values()]
    return { name: 'platform.health', content: { platforms } }
  }
  return later
}
