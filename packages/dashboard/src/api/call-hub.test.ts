import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceDocument } from '../lib/test-document.ts'
import { callHub, formErrors, HubCallError } from './call-hub.ts'
import { readCsrfToken, writeCsrfToken } from './csrf-token.ts'
import { beforeReplacement, renewSession, replacements, session } from './session.ts'
import { sendCode, signIn, startSingleSignOn, uploadBackup } from './sign-in.ts'

test('after another tab has replaced the session, a POST is repeated with the new token', async (t) => {
  replaceDocument()
  writeCsrfToken('old')
  const tokens: (string | null)[] = []
  t.mock.method(globalThis, 'fetch', async (path: string, { method, headers }: RequestInit) => {
    if (path === '/api/v1/session') return Response.json({ operator: null, csrf_token: 'new' })
    assert.equal(method, 'POST')
    const token = new Headers(headers).get('X-CSRF-TOKEN')
    tokens.push(token)
    return Response.json({ saved: true }, { status: token === 'new' ? 201 : 419 })
  })
  assert.deepEqual(await callHub('/api/v1/views', { method: 'POST', body: {} }), { saved: true })
  assert.deepEqual(tokens, ['old', 'new'])
  assert.equal(readCsrfToken(), 'new')
  assert.equal(session.get().hasEnded, false)
})

test('the reasons of a rejection are at the inputs that they are about, and others apart', () => {
  const inputs = { name: '', password: '' }
  const of = (code: string, errors: Record<string, string[]> = {}) =>
    formErrors(new HubCallError(422, { code, message: 'No.', errors }), inputs)
  const name = { name: ['is taken', 'is long'] }
  assert.deepEqual(of('x', name), { atInputs: { name: 'is taken, is long' }, isElsewhere: false })
  assert.equal(of('x', { ...name, days: ['is 0'] }).isElsewhere, true)
  assert.deepEqual(of('password_wrong'), { atInputs: { password: 'No.' }, isElsewhere: false })
  assert.deepEqual(of('busy'), { atInputs: {}, isElsewhere: true })
  assert.deepEqual(formErrors(new Error('Offline'), inputs), { atInputs: {}, isElsewhere: true })
})

test('every POST sends the token and X-Requested-With, also the sign-in of an ended session', async (t) => {
  replaceDocument()
  writeCsrfToken('of the page')
  const sent: string[] = []
  t.mock.method(globalThis, 'fetch', async (path: string, { method, headers }: RequestInit) => {
    const { 'x-csrf-token': token, 'x-requested-with': client } = Object.fromEntries(
      new Headers(headers),
    )
    sent.push([method, path, token, client].join(' '))
    return Response.json({})
  })
  await signIn({ email: 'a@b.example', password: '' })
  await sendCode('123456', 'app')
  await sendCode('2kf7', 'recovery')
  await startSingleSignOn('oidc', '/dashboard')
  await uploadBackup(new File(['a'], 'backup'), { token: '', passphrase: '' }, () => undefined)
  await callHub('/api/auth/sign-out', { method: 'POST' })
  assert.deepEqual(
    sent,
    [
      '/api/auth/sign-in/email',
      '/api/auth/two-factor/verify-totp',
      '/api/auth/two-factor/verify-backup-code',
      '/api/auth/sign-in/social',
      '/setup/backup',
      '/api/auth/sign-out',
    ].map((path) => `POST ${path} of the page XMLHttpRequest`),
  )
})

test('when another operator signs in, the requests of the former one are dropped and the page is rendered anew', async (t) => {
  replaceDocument()
  const operatorOf = (id: string) => ({ id, email: '', name: '', role: 'viewer' as const })
  session.set({ operator: operatorOf('former'), hasEnded: false, secondFactor: null })
  writeCsrfToken('of the former')
  const sent: string[] = []
  let ended = Promise.withResolvers<void>()
  t.mock.method(globalThis, 'fetch', async (path: string, { method = 'GET' }: RequestInit) => {
    if (path === '/api/v1/session') {
      const required_second_factor_step = null
      const csrf_token = 'of the other'
      return Response.json({
        operator: operatorOf('other'),
        csrf_token,
        required_second_factor_step,
      })
    }
    sent.push(`${method} ${path}`)
    ended.resolve()
    return new Response(null, { status: 401 })
  })
  for (const method of ['GET', 'POST'] as const) {
    ended = Promise.withResolvers()
    void callHub('/api/v1/views', { method }).then(() => assert.fail('a dropped request'))
    await ended.promise
  }
  const left: boolean[] = []
  beforeReplacement(async () => void left.push(session.get().operator?.id === 'former'))
  const before = replacements.get()
  assert.equal(await renewSession(), true)
  // A repeated request would have been sent before this one.
  await callHub('/api/v1/session')
  assert.deepEqual(sent, ['GET /api/v1/views', 'POST /api/v1/views'])
  assert.deepEqual(left, [true])
  assert.equal(replacements.get(), before + 1)
  assert.deepEqual([readCsrfToken(), session.get().hasEnded], ['of the other', false])
})

test('a request that was sent before the page knew its operator is repeated after the sign-in', async (t) => {
  replaceDocument()
  session.set({ operator: null, hasEnded: false, secondFactor: null })
  writeCsrfToken('of the page')
  const statuses = [401, 200]
  t.mock.method(globalThis, 'fetch', async (path: string) => {
    if (path !== '/api/v1/session') return Response.json({}, { status: statuses.shift() ?? 500 })
    const operator = { id: 'ann', email: '', name: '', role: 'viewer' }
    const required_second_factor_step = null
    return Response.json({ operator, csrf_token: 'new', required_second_factor_step })
  })
  const ended = Promise.withResolvers<void>()
  const unsubscribe = session.subscribe(() => session.get().hasEnded && ended.resolve())
  const called = callHub('/api/v1/views')
  await ended.promise
  unsubscribe()
  assert.equal(await renewSession(), true)
  assert.deepEqual(await called, {})
})
