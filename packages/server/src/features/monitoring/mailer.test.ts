/** Sending mails over real SMTP. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { test } from 'node:test'
import { REJECTION, startMailServer } from '../../../test/helpers/hub/smtp-server.ts'
import { guardMs } from '../../../test/helpers/time/guard.ts'
import { createMailer, type MailTimeouts } from './mail-alerts.ts'

const LONG_MS = guardMs(60_000)
const LONG: MailTimeouts = { connect: LONG_MS, silence: LONG_MS, total: LONG_MS }
/** For servers that never send a greeting. */
const SHORT: MailTimeouts = { connect: 200, silence: 200, total: 5000 }
/** For a server that stops responding in the middle of a mail. */
const SHORT_SILENCE: MailTimeouts = { ...LONG, silence: 1000 }
const FROM = 'hub@example.org'
const TO = ['ann@example.org', 'bob@example.org']
const MAIL = { subject: 'School fails', text: 'Nothing can be read.\n.\nÄ\n', to: TO }

const mailerTo = (url: string, timeouts = LONG) => createMailer({ url, from: FROM }, timeouts)

test('each recipient receives the complete mail as plain text, marked as auto-generated', async () => {
  await using server = await startMailServer()
  assert.deepEqual(await mailerTo(server.url).send(MAIL), { outcome: 'sent', rejected: [] })
  const [mail] = server.mails
  assert.ok(mail)
  assert.deepEqual([mail.from, mail.to], [FROM, TO])
  assert.match(mail.source, /^From: Recordhub <hub@example\.org>\r$/m)
  assert.match(mail.source, /^Subject: School fails\r$/m)
  assert.match(mail.source, /^Auto-Submitted: auto-generated\r$/m)
  assert.match(mail.source, /^Content-Type: text\/plain; charset=utf-8\r$/m)
  assert.doesNotMatch(mail.source, /text\/html/)
  const body = mail.source.split('\r\n\r\n').slice(1).join('\r\n\r\n')
  assert.match(body, /^Nothing can be read\.\r\n\.\r\n(=C3=84|Ä)/)
})

test('the subject and text of a mail cannot add headers or recipients', async () => {
  await using server = await startMailServer()
  const evil = 'x\r\nBcc: evil@example.org\r\nX-Evil: 1\r\n\r\nHello'
  const text = `\r\n.\r\nRCPT TO:<evil@example.org>`
  await mailerTo(server.url).send({ subject: evil, text, to: TO })
  const [mail, ...others] = server.mails
  assert.equal(others.length, 0)
  assert.deepEqual(mail?.to, TO)
  const headers = mail?.source.split('\r\n\r\n')[0] ?? ''
  assert.doesNotMatch(headers, /^(Bcc|X-Evil):/im)
})

test('the URL may have any characters in the user name and password', async () => {
  const login = { user: 'hub@example.org', password: 'p@ss/w#rd?%é:' }
  await using server = await startMailServer({ login })
  assert.equal((await mailerTo(server.url).send(MAIL)).outcome, 'sent')
  assert.equal(server.mails[0]?.user, login.user)
  const wrong = server.url.replace('p%40ss', 'another-long-secret')
  const rejected = await mailerTo(wrong).send(MAIL)
  assert.ok(rejected.outcome === 'failed')
  assert.match(rejected.reason, /535.*Invalid credentials\?/)
  assert.doesNotMatch(rejected.reason, /another-long-secret/)
})

test('the password is sent to a remote mail server over TLS only', async () => {
  await using server = await startMailServer({ login: { user: 'hub', password: 'secret' } })
  // The mailer treats this address as remote, although it leads to this machine.
  const elsewhere = server.url.replace('127.0.0.1', '0.0.0.0')
  const rejected = await mailerTo(elsewhere).send(MAIL)
  assert.ok(rejected.outcome === 'failed')
  assert.match(rejected.reason, /STARTTLS/i)
  assert.equal(server.mails.length, 0)
})

test("a rejection is returned with the mail server's message", async () => {
  await using server = await startMailServer({ rejectedRecipient: 'bob@example.org' })
  const sent = await mailerTo(server.url).send(MAIL)
  assert.deepEqual(sent, { outcome: 'sent', rejected: ['bob@example.org'] })
  server.setReaction('reject')
  const rejected = await mailerTo(server.url).send(MAIL)
  assert.ok(rejected.outcome === 'failed')
  assert.ok(rejected.reason.includes(REJECTION), rejected.reason)
  assert.doesNotMatch(rejected.reason, /[\r\n]/)
})

test('sending fails if the server is silent, absent or does not speak SMTP', async () => {
  await using hanging = await startMailServer()
  hanging.setReaction('hang')
  const late = await mailerTo(hanging.url, SHORT_SILENCE).send(MAIL)
  assert.ok(late.outcome === 'failed')
  assert.match(late.reason, /time/i)

  await using silent = await listen(() => undefined)
  const withoutGreeting = await mailerTo(silent.url, SHORT).send(MAIL)
  assert.ok(withoutGreeting.outcome === 'failed')
  // Either timeout may end first, since both are equally long.
  assert.match(withoutGreeting.reason, /greeting|timeout/i)

  await using web = await listen((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'))
  assert.equal((await mailerTo(web.url, SHORT).send(MAIL)).outcome, 'failed')

  await using closed = await listen(() => undefined)
  await closed[Symbol.asyncDispose]()
  const unreachable = await mailerTo(closed.url).send(MAIL)
  assert.ok(unreachable.outcome === 'failed')
  assert.match(unreachable.reason, /ECONNREFUSED/)
})

test('sending fails at the total timeout, and can be aborted', async () => {
  await using server = await startMailServer()
  server.setReaction('hang')
  const limited = { ...LONG, total: 100 }
  const late = await mailerTo(server.url, limited).send(MAIL)
  assert.deepEqual(late, { outcome: 'failed', reason: 'the mail server did not respond in time' })
  const stopping = new AbortController()
  const sending = mailerTo(server.url).send(MAIL, stopping.signal)
  stopping.abort()
  assert.equal((await sending).outcome, 'failed')
})

/** Starts a server that does not speak SMTP. */
async function listen(onConnection: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    onConnection(socket)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(address && typeof address === 'object')
  return {
    url: `smtp://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise((resolve) => server.close(resolve))
    },
  }
}
