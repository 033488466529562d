/** A mail server on loopback that accepts mails, rejects them, or never responds. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'

type ReceivedMail = {
  from: string
  to: string[]
  /** The message, as received after DATA. */
  source: string
  user: string | null
}

export type TestMailServer = {
  /** `smtp://127.0.0.1:<port>`, with a name and password if `login` is set. */
  url: string
  mails: ReceivedMail[]
  /** Sets the reaction to the next mails. */
  setReaction: (next: 'accept' | 'reject' | 'hang') => void
  /** The number of mails that reached DATA, whether they were accepted or not. */
  attempts: () => number
  [Symbol.asyncDispose]: () => Promise<void>
}

export const REJECTION = '554 5.7.1 Not from here'

export async function startMailServer(
  options: { login?: { user: string; password: string }; rejectedRecipient?: string } = {},
): Promise<TestMailServer> {
  const { login, rejectedRecipient } = options
  const mails: ReceivedMail[] = []
  let reaction: 'accept' | 'reject' | 'hang' = 'accept'
  let attempts = 0
  const handlers: SMTPServerOptions = {
    onAuth(given, _session, done) {
      const isRight = given.username === login?.user && given.password === login?.password
      if (isRight) return done(null, { user: given.username })
      done(new Error('Invalid credentials?'))
    },
    onRcptTo({ address }, _session, done) {
      done(address === rejectedRecipient ? new Error('No such mailbox') : null)
    },
    onData(stream, session, done) {
      void text(stream).then((source) => {
        attempts += 1
        if (reaction === 'hang') return
        if (reaction === 'reject') {
          return done(Object.assign(new Error(REJECTION.slice(4)), { responseCode: 554 }))
        }
        const { mailFrom, rcptTo } = session.envelope
        mails.push({
          from: mailFrom ? mailFrom.address : '',
          to: rcptTo.map(({ address }) => address),
          source,
          user: typeof session.user === 'string' ? session.user : null,
        })
        done(null)
      })
    },
  }
  const server = new SMTPServer({
    disabledCommands: login ? ['STARTTLS'] : ['STARTTLS', 'AUTH'],
    authOptional: !login,
    allowInsecureAuth: true,
    logger: false,
    closeTimeout: 1,
    ...handlers,
  })
  const listening = server.listen(0, '127.0.0.1')
  await once(listening, 'listening')
  const address = listening.address()
  assert.ok(address && typeof address === 'object')
  const credentials = login
    ? `${encodeURIComponent(login.user)}:${encodeURIComponent(login.password)}@`
    : ''
  return {
    url: `smtp://${credentials}127.0.0.1:${address.port}`,
    mails,
    setReaction: (next) => {
      reaction = next
    },
    attempts: () => attempts,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
      }),
  }
}
