import assert from 'node:assert/strict'
import { test } from 'node:test'
import { replaceDocument } from '../lib/test-document.ts'
import { callHub } from './call-hub.ts'
import { readCsrfToken, writeCsrfToken } from './csrf-token.ts'
import { session } from './session.ts'

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
