/**
 * Keeps sessions of PostgreSQL for the next connection to the same database. Most of what the server does for a short
 * test is starting sessions, which must read its catalogs before their first query. A new connection gets a session that
 * `DISCARD ALL` has reset. Clients notice no difference.
 */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

/** The sessions that a process keeps. The server allows 200, to all processes. */
const MAX_KEPT = 12
/** https://www.postgresql.org/docs/current/protocol-message-formats.html */
const PROTOCOL_3 = 0x30000
const DISCARD_ALL = Buffer.from('Q\0\0\0\x10DISCARD ALL\0')
const TERMINATE = Buffer.from('X\0\0\0\x04')

type Session = {
  /** The startup message of its connections, which contains the database and the user. */
  startup: string
  socket: Socket
  /** What the server sends after a successful authentication. */
  greeting: Buffer[]
  /** Null while it is reset, and while it is kept. */
  client: Socket | null
  /** The client whose connection ends when the session is reset. */
  leaving: Socket | null
  /** Whether the server has responded to all requests, outside of a transaction. */
  isIdle: () => boolean
  send: (messages: Buffer) => void
}

/** The sessions that wait for a connection, the newest last. */
let kept: Session[] = []

/** Starts a server that forwards connections to that of the URL. It does not keep this process alive. @returns its URL. */
export async function startSessionPool(serverUrl: string): Promise<string> {
  const url = new URL(serverUrl)
  const [host, port] = [url.hostname, Number(url.port || 5432)]
  const connect = () => createConnection({ host, port, noDelay: true })
  // Half open: a connection ends when its session is reset.
  const server = createServer({ noDelay: true, allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined)
    client.once('data', (startup) => {
      const isStartup =
        startup.length === startup.readInt32BE() && startup.readInt32BE(4) === PROTOCOL_3
      if (isStartup) serve(client, startup, connect)
      else forward(client, startup, connect())
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  server.unref()
  const { port: ownPort } = server.address() as AddressInfo
  url.host = `127.0.0.1:${ownPort}`
  return url.href
}

/** Forwards the cancellation of a query. */
function forward(client: Socket, request: Buffer, socket: Socket): void {
  socket.on('error', () => client.destroy())
  socket.write(request)
  client.pipe(socket).pipe(client)
}

function serve(client: Socket, startup: Buffer, connect: () => Socket): void {
  const known = kept.findLast((one) => one.startup === startup.toString('latin1'))
  const session = known ?? startSession(connect(), startup)
  session.client = client
  if (known) {
    kept = kept.filter((one) => one !== known)
    known.socket.ref()
    client.write(Buffer.concat(known.greeting))
  }
  let isEnded = false
  const scan = scanMessages((type) => {
    if (type === 'p') session.greeting = []
    if (type === 'X') isEnded = true
  })
  client.on('data', (messages) => {
    scan(messages)
    const requests = isEnded ? messages.subarray(0, -TERMINATE.length) : messages
    if (requests.length > 0) session.send(requests)
    if (!isEnded) return
    session.client = null
    session.leaving = client
    if (session.isIdle()) session.send(DISCARD_ALL)
    else session.socket.end(TERMINATE)
  })
  const disconnect = () => {
    if (session.client === client) session.socket.destroy()
  }
  client.on('end', disconnect).on('close', disconnect)
}

function startSession(socket: Socket, startup: Buffer): Session {
  /** The `ReadyForQuery` that the server still has to send. */
  let expected = 1
  let status = ''
  const scanRequests = scanMessages((type) => {
    if (type === 'Q' || type === 'S') expected += 1
  })
  const scanResponses = scanMessages((type, first) => {
    if (type !== 'Z') return
    expected -= 1
    status = first
  })
  let isGreeted = false
  const session: Session = {
    startup: startup.toString('latin1'),
    socket,
    greeting: [],
    client: null,
    leaving: null,
    isIdle: () => expected === 0 && status === 'I',
    send(messages) {
      scanRequests(messages)
      socket.write(messages)
    },
  }
  socket.on('error', () => undefined)
  socket.on('data', (responses) => {
    scanResponses(responses)
    if (!isGreeted) session.greeting.push(responses)
    isGreeted ||= expected === 0
    if (session.client) session.client.write(responses)
    else if (session.isIdle() && session.leaving) keep(session)
  })
  socket.on('close', () => {
    session.client?.end()
    session.leaving?.end()
    kept = kept.filter((one) => one !== session)
  })
  socket.write(startup)
  return session
}

function keep(session: Session): void {
  session.socket.unref()
  session.leaving?.end()
  session.leaving = null
  kept.push(session)
  if (kept.length > MAX_KEPT) kept.shift()?.socket.end(TERMINATE)
}

/** Returns a function that calls `onMessage` for the messages of a stream, with the type and the first byte of each. */
function scanMessages(onMessage: (type: string, first: string) => void): (chunk: Buffer) => void {
  /** The beginning of a message. */
  let rest: Buffer = Buffer.alloc(0)
  /** The bytes until the next message. */
  let skipped = 0
  return (chunk) => {
    const bytes = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    let at = skipped
    while (at + 5 <= bytes.length) {
      const end = at + 1 + bytes.readInt32BE(at + 1)
      if (Math.min(end, at + 6) > bytes.length) break
      onMessage(bytes.toString('latin1', at, at + 1), bytes.toString('latin1', at + 5, at + 6))
      at = end
    }
    rest = bytes.subarray(at)
    skipped = Math.max(0, at - bytes.length)
  }
}
