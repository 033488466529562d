/** The responses of simulated platforms. */
import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

export type ReceivedRequest = {
  method: string
  path: string
  headers: IncomingHttpHeaders
  /** The `platform_name` of the platform that received the request. */
  platform_name: string
}

/** Writes a response of an endpoint in place of the correct one. */
export type Responder = (response: ServerResponse, request: ReceivedRequest) => void

export const respond = {
  json: (body: unknown): Responder => respond.text(JSON.stringify(body), 'application/json'),
  text:
    (text: string | Buffer, type: string, headers: Record<string, string> = {}): Responder =>
    (response) => {
      response.writeHead(200, { 'Content-Type': type, ...headers }).end(text)
    },
  /** A records response with all required members. */
  records:
    (records: unknown[], { total, type }: { total?: unknown; type?: string } = {}): Responder =>
    (response, request) => {
      const { platform_name, path } = request
      const record_type = /\/records\/([^/?]+)/.exec(path)?.[1]
      const members = { success: true, platform_name, record_type, total: total ?? records.length }
      const text = JSON.stringify({ ...members, records })
      respond.text(text, type ?? 'application/json')(response, request)
    },
  status:
    (status: number, headers: Record<string, string> = {}): Responder =>
    (response) => {
      response.writeHead(status, { 'Content-Type': 'application/json', ...headers })
      response.end(JSON.stringify({ success: false, message: `This is ${status}` }))
    },
  html: (): Responder => respond.text('<!doctype html><h1>Sign in</h1>', 'text/html'),
  redirect: (location: string): Responder => respond.status(302, { Location: location }),
  /** Sends the beginning of a response and closes the connection. */
  truncated:
    (text: string): Responder =>
    (response) => {
      response.writeHead(200, {
        'Content-Type': 'application/json',
        'Content-Length': String(Buffer.byteLength(text) + 1000),
      })
      response.write(text, () => response.destroy())
    },
  /** Sends the beginning of a response and leaves the connection open. */
  stall:
    (text: string | Buffer, headers: Record<string, string> = {}): Responder =>
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json', ...headers }).write(text)
    },
  /** Sends the beginning of a response, and then a space at intervals until the client disconnects. */
  trickle:
    (text: string, intervalMs: number): Responder =>
    (response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' }).write(text)
      const timer = setInterval(() => response.write(' '), intervalMs)
      response.on('close', () => clearInterval(timer))
    },
  /** Delays a response. */
  delayed:
    (delayMs: number, responder: Responder): Responder =>
    (...exchange) =>
      void setTimeout(responder, delayMs, ...exchange),
  /** One page per list of records, with Link headers. The URL of the first page has no parameter `page`. */
  pages:
    (...pages: unknown[][]): Responder =>
    (response, request) => {
      const page = Number(new URLSearchParams(request.path.split('?')[1]).get('page') ?? 1)
      const total = pages.flat().length
      const link: Record<string, string> =
        page < pages.length ? { Link: `<?page=${page + 1}>; rel="next"` } : {}
      const body = JSON.stringify({ success: true, total, records: pages[page - 1] ?? [] })
      respond.text(body, 'application/json', link)(response, request)
    },
  /** A conditional response: 304 if the request contains its ETag or Last-Modified. */
  conditional:
    (body: unknown, headers: { ETag?: string; 'Last-Modified'?: string }): Responder =>
    (response, request) => {
      const { 'if-none-match': etag, 'if-modified-since': since } = request.headers
      const isUnchanged =
        etag === undefined
          ? since !== undefined && since === headers['Last-Modified']
          : etag === headers.ETag
      if (isUnchanged) response.writeHead(304, headers).end()
      else respond.text(JSON.stringify(body), 'application/json', headers)(response, request)
    },
  /** Closes the connection without a response. */
  disconnect: (): Responder => (response) => {
    response.destroy()
  },
} as const
