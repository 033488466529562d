/** The ways in which a simulated platform answers. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** Of the platform that received it. */
  platform_name: string
}

/** How an endpoint answers instead of as agreed. */
export type Behaviour = (response: ServerResponse, request: ReceivedRequest) => void

export const respond = {
  json: (body: unknown): Behaviour => respond.text(JSON.stringify(body), 'application/json'),
  text:
    (text: string | Buffer, type: string, headers: Record<string, string> = {}): Behaviour =>
    (response) => {
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(text)
    },
  /** A records response with all required members. */
  records:
    (records: unknown[], { total, type }: { total?: unknown; type?: string } = {}): Behaviour =>
    (response, request) => {
      const { platform_name, path } = request
      const record_type = /\/records\/([^/?]+)/.exec(path)?.[1]
      const members = { success: true, platform_name, record_type, total: total ?? records.length }
      const text = JSON.stringify({ ...members, records })
      respond.text(text, type ?? 'application/json')(response, request)
    },
  status:
    (status: number, headers: Record<string, string> = {}): Behaviour =>
    (response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify({ success: false, message: `This is ${status}` }))
    },
  html: (): Behaviour => respond.text('<!doctype html><h1>Sign in</h1>', 'text/html'),
  redirect: (location: string): Behaviour => respond.status(302, { Location: location }),
  /** Sends this much of an answer and cuts the connection. */
  cutOff:
    (text: string): Behaviour =>
    (response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(text) + 1000),
      })
      response.write(text, () => response.destroy())
    },
  /** Sends this much of an answer and then nothing any more. */
  stall:
    (text: string | Buffer, headers: Record<string, string> = {}): Behaviour =>
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).write(text)
    },
  /** Sends this much of an answer and then, as long as anybody reads, a space now and then. */
  drip:
    (text: string, everyMs: number): Behaviour =>
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write(text)
      const dripping = setInterval(() => response.write(' '), everyMs)
      response.on('close', () => clearInterval(dripping))
    },
  /** Thinks for a while before it sends anything. */
  late:
    (afterMs: number, behaviour: Behaviour): Behaviour =>
    (...exchange) =>
      void setTimeout(behaviour, afterMs, ...exchange),
  /** A page for each list of records, linked as the standard says; the first has no `page` in its address. */
  pages:
    (...pages: unknown[][]): Behaviour =>
    (response, request) => {
      const page = Number(new URLSearchParams(request.path.split('?')[1]).get('page') ?? 1)
      const total = pages.flat().length
      const link: Record<string, string> =
        page < pages.length ? { Link: `<?page=${page + 1}>; rel="next"` } : {}
      const body = JSON.stringify({ success: true, total, records: pages[page - 1] ?? [] })
      respond.text(body, 'application/json', link)(response, request)
    },
  /** An answer that is not sent again to those who have it. */
  tagged:
    (body: unknown, headers: { ETag?: string; 'Last-Modified'?: string }): Behaviour =>
    (response, request) => {
      const { 'if-none-match': etag, 'if-modified-since': since } = request.headers
      const isKnown =
        etag === undefined
          ? since !== undefined && since === headers['Last-Modified']
          : etag === headers.ETag
      if (isKnown) response.writeHead(304, headers).end()
      else respond.text(JSON.stringify(body), 'application/json', headers)(response, request)
    },
  /** Cuts the connection before anything was sent. */
  nothing: (): Behaviour => (response) => {
    response.destroy()
  },
} as const
