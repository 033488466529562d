/**
 * Opens the overview page of the dashboard many times, without a browser: `node dashboard-load.ts <port> <dashboards>`, with
 * the cookies of the operators in COOKIES, one a line. As `packages/dashboard/src/api/live.ts` and `queries.ts`, each page has
 * a stream of events, polls the snapshot, reads the completeness of all modules after a new one, and the schedule some time
 * after an event.
 * Prints `open` once all pages are open, and ends with its parent.
 */
import { Agent, get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { POLLING_INTERVAL_SECONDS } from '@recordhub/protocol'

const [port = 0, dashboards = 0] = process.argv.slice(2).map(Number)
const INTERVAL_MS = POLLING_INTERVAL_SECONDS * 1000
/** The page reads again within this time of an event. */
const REFRESH_MS = 2000

const cookies = process.env['COOKIES']?.split('\n') ?? []
const agent = new Agent({ keepAlive: true })

function open(
  cookie: string,
  path: string,
  headers: Record<string, string> = {},
): Promise<IncomingMessage> {
  const all = { cookie, 'Accept-Encoding': 'gzip', ...headers }
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, headers: all, agent }
    get(options, resolve).once('error', reject)
  })
}

/** Reads a whole response, as it is compressed. */
async function read(...request: Parameters<typeof open>): Promise<IncomingMessage> {
  const response = await open(...request)
  for await (const _chunk of response);
  const { statusCode = 0 } = response
  if (statusCode >= 400) throw new Error(`GET ${request[1]}: ${statusCode}`)
  return response
}

async function openDashboard(cookie: string): Promise<void> {
  const events = await open(cookie, '/dashboard/events')
  if (events.statusCode !== 200) throw new Error(`GET /dashboard/events: ${events.statusCode}`)
  let refreshedAt = Number.NEGATIVE_INFINITY
  let isScheduled = false
  const refresh = async () => {
    isScheduled = true
    const collecting = REFRESH_MS * (0.5 + Math.random() / 2)
    await sleep(Math.max(collecting, refreshedAt + INTERVAL_MS - performance.now()))
    isScheduled = false
    refreshedAt = performance.now()
    await read(cookie, '/api/v1/schedule')
  }
  events.setEncoding('utf8').on('data', (text: string) => {
    if (text.includes('event: changed') && !isScheduled) void refresh()
  })
  let etag = ''
  const poll = async (): Promise<void> => {
    const { statusCode, headers } = await read(cookie, '/dashboard/realtime', {
      'If-None-Match': etag,
    })
    etag = headers.etag ?? ''
    if (statusCode === 200) await read(cookie, '/api/v1/completeness')
    await sleep(INTERVAL_MS)
    return poll()
  }
  void poll()
}

for (let opened = 0; opened < dashboards; opened++) {
  await openDashboard(cookies[opened % cookies.length] ?? '')
  await sleep(INTERVAL_MS / dashboards)
}
process.stdout.write('open\n')
