/** Operators: inviting, changing, disabling and removing them; their API tokens, and the audit log. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD, startTestHub } from '../helpers/hub/hub.ts'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { expectAbsent, expectError, expectObject } from '../helpers/hub/response.ts'
import { startMailServer } from '../helpers/hub/smtp-server.ts'

const mailSettings = ({ url }: { url: string }) => ({
  HUB_SMTP_URL: url,
  HUB_ALERT_FROM: 'hub@example.org',
  HUB_ALERT_TO: 'ops@example.org',
})

describeHub('invitations and operators', { withOperator: true }, (hub, engine) => {
  test('an invitation link works once and creates an operator with its role', async () => {
    const admin = await hub.signIn()
    const { link, mailed, invitation } = await hub.call('POST /api/v1/invitations', {
      as: admin,
      body: { email: 'Bob@Example.org', role: 'viewer', password: PASSWORD },
    })
    assert.deepEqual([mailed, invitation.email], [false, 'bob@example.org'])
    const token = tokenOfLink(link)
    assert.match(link, /\/invitation#token=rhi_\w+$/)
    const { email, role } = expectObject(await hub.readInvitation(token), 200)
    assert.deepEqual([email, role], ['bob@example.org', 'viewer'])
    expectError(await hub.acceptInvitation(token, { password: 'short' }), 422, 'invalid_operator')
    expectObject(await hub.acceptInvitation(token), 201)
    expectError(await hub.acceptInvitation(token), 403, 'invitation_invalid')
    expectError(await hub.readInvitation(token), 403, 'invitation_invalid')
    const bob = await hub.signIn('bob@example.org')
    const session = await hub.callAs(bob, 'GET', '/api/v1/session')
    assert.match(session.text, /"role":"viewer"/)
    expectError(await hub.callAs(bob, 'GET', '/api/v1/operators'), 403, 'forbidden')
    expectAbsent([token], [hub.log(), JSON.stringify(await hub.audit())])
    const actions = await hub.auditActions()
    for (const action of ['operator.invite', 'operator.create', 'session.begin']) {
      assert.ok(actions.includes(action), `${action} is in the audit log`)
    }
  })

  test('a viewer reads the names of the operators, and nothing else about them', async () => {
    await hub.addOperator('nora@example.org', 'viewer')
    const viewer = await hub.signIn('nora@example.org')
    const { operators } = await hub.call('GET /api/v1/operators/names', { as: viewer })
    const nora = operators.find(({ email }) => email === 'nora@example.org')
    assert.deepEqual(Object.keys(nora ?? {}), ['email', 'name'])
    expectError(await hub.send({ url: '/api/v1/operators/names' }), 401, 'not_signed_in')
  })

  test("a new role ends the operator's sessions, and a removed operator cannot sign in", async () => {
    const { id, email } = await hub.createOperator()
    const admin = await hub.signIn()
    const bob = await hub.signIn(email)
    assert.equal((await hub.callAs(bob, 'GET', '/api/v1/operators')).status, 200)
    const demote = { role: 'viewer', password: PASSWORD }
    expectObject(await hub.callAs(admin, 'PATCH', `/api/v1/operators/${id}`, demote), 200)
    expectError(await hub.callAs(bob, 'GET', '/api/v1/operators'), 401, 'not_signed_in')
    const viewer = await hub.signIn(email)
    expectError(await hub.callAs(viewer, 'GET', '/api/v1/operators'), 403, 'forbidden')
    expectObject(await hub.callAs(admin, 'DELETE', `/api/v1/operators/${id}`), 200)
    expectError(await hub.callAs(viewer, 'GET', '/api/v1/session'), 401, 'not_signed_in')
    expectError(await hub.sendSignIn(email), 401, 'invalid_email_or_password')
    const removal = (await hub.audit('&action=operator.remove'))[0]
    assert.deepEqual([removal?.['actor'], removal?.['target']], [EMAIL, email])
  })

  test("an admin lists and ends an operator's sessions without seeing their tokens", async () => {
    const { id, email } = await hub.createOperator({ role: 'viewer' })
    const admin = await hub.signIn()
    const first = await hub.signIn(email)
    const second = await hub.signIn(email)
    const list = await hub.call('GET /api/v1/operators/:id/sessions', { params: { id }, as: admin })
    assert.equal(list.sessions.length, 2)
    const secret = decodeURIComponent(first.cookie.split('=')[1] ?? '').split('.')[0] ?? ''
    expectAbsent([secret], [JSON.stringify(list)])
    await hub.call('DELETE /api/v1/operators/:id/sessions/:session_id', {
      ...{ params: { id, session_id: list.sessions[1]?.id ?? '' }, as: admin },
    })
    const responses = await Promise.all(
      [first, second].map((one) => hub.callAs(one, 'GET', '/api/v1/session')),
    )
    assert.deepEqual(responses.map((response) => response.status).sort(), [200, 401])
    await hub.call('DELETE /api/v1/operators/:id/sessions', { params: { id }, as: admin })
    expectError(await hub.callAs(second, 'GET', '/api/v1/session'), 401, 'not_signed_in')
  })

  test('only one of several concurrent acceptances succeeds', async () => {
    const token = await hub.invite('many@example.org', 'viewer')
    const responses = await Promise.all(
      Array.from({ length: 6 }, () => hub.acceptInvitation(token)),
    )
    assert.deepEqual(
      responses.map((response) => response.status).sort(),
      [201, 403, 403, 403, 403, 403],
    )
  })

  test('an unknown, withdrawn, expired or superseded link is rejected', async () => {
    const withdrawn = await hub.invite('with@example.org', 'admin')
    const expired = await hub.invite('exp@example.org', 'admin')
    const earlier = await hub.invite('twice@example.org', 'admin')
    await hub.invite('twice@example.org', 'viewer')
    const { invitations } = await hub.call('GET /api/v1/invitations')
    const id = invitations.find(({ email }) => email === 'with@example.org')?.id ?? 0
    await hub.call('DELETE /api/v1/invitations/:id', { params: { id } })
    const again = await hub.callAs('admin', 'DELETE', `/api/v1/invitations/${id}`)
    expectError(again, 404, 'not_found')
    await hub.sql(
      `UPDATE operator_invitations SET expires_at = '2026-01-01T00:00:00.000Z' WHERE email = 'exp@example.org'`,
    )
    const before = await hub.countRows('operators')
    for (const token of [withdrawn, expired, earlier, 'rhi_unknown', 'x', '']) {
      expectError(await hub.readInvitation(token), 403, 'invitation_invalid')
      expectError(await hub.acceptInvitation(token), 403, 'invitation_invalid')
    }
    assert.equal(await hub.countRows('operators'), before)
  })

  test('another site can neither read nor accept an invitation', async () => {
    const token = await hub.invite('csrf@example.org', 'viewer')
    for (const [url, body] of [
      ['/invitation', { token, name: '', password: PASSWORD }],
      ['/api/v1/invitation', { token }],
    ] as const) {
      for (const headers of [
        { origin: 'https://evil.example' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
      ]) {
        const response = await hub.send({ method: 'POST', url, headers, body })
        expectError(response, 403, 'origin_not_allowed')
      }
    }
    assert.equal((await hub.readInvitation(token)).status, 200)
  })

  test('an invitation token is accepted only in a JSON body, as a string', async () => {
    const token = await hub.invite('body@example.org', 'viewer')
    const url = '/api/v1/invitation'
    const inQuery = `${url}?token=${token}`
    for (const request of [{ url }, { url: inQuery }]) {
      assert.equal((await hub.send(request)).status, 405)
    }
    for (const body of [{}, { token: [token] }, { token: 'x'.repeat(201) }, { token, more: 1 }]) {
      const response = await hub.send({ method: 'POST', url: inQuery, body })
      expectError(response, 400, 'invalid_request')
    }
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const asForm = { method: 'POST', url, headers: form, body: `token=${token}` } as const
    assert.equal((await hub.send(asForm)).status, 415)
    const read = await hub.readInvitation(token)
    assert.equal(read.header('cache-control'), 'no-store')
    expectAbsent([token], [read.text, hub.log()])
  })

  test('the link is mailed to the invited operator if a mail server is configured', async () => {
    await using server = await startMailServer()
    await using own = await startTestHub(engine, {
      env: { ...mailSettings(server), HUB_PUBLIC_URL: 'https://hub.example.org' },
    })
    const { link, mailed } = await own.call('POST /api/v1/invitations', {
      ...{ as: 'access', body: { email: 'new@example.org', role: 'operator' } },
    })
    assert.equal(mailed, true)
    assert.match(link, /^https:\/\/hub\.example\.org\/invitation#token=rhi_\w+$/)
    const [mail] = server.mails
    assert.deepEqual(mail?.to, ['new@example.org'])
    const text = mail.source.replaceAll('=\r\n', '').replaceAll('=3D', '=')
    assert.ok(text.includes(link))
  })
})

describeOnEngines('invitation mails without HUB_PUBLIC_URL', (engine) => {
  test('no link is mailed whose address the client of the request chose', async () => {
    await using server = await startMailServer()
    await using own = await startTestHub(engine, {
      env: mailSettings(server),
    })
    const response = await own.send({
      method: 'POST',
      url: '/api/v1/invitations',
      headers: { authorization: own.authorization('access'), host: 'evil.example' },
      body: { email: 'new@example.org', role: 'operator' },
    })
    const { mailed, mail_problem } = expectObject(response, 201)
    assert.equal(mailed, false)
    assert.match(String(mail_problem), /HUB_PUBLIC_URL/)
    assert.deepEqual(server.mails, [])
  })
})

describeOnEngines('managing operators', (engine) => {
  test('disabling an operator ends all access, and only a sign-in with the right password reports it', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const id = await hub.addOperator('bob@example.org', 'operator')
    const admin = await hub.signIn()
    const bob = await hub.signIn('bob@example.org')
    const { token } = await hub.call('POST /api/v1/tokens', {
      ...{ as: bob, body: { name: 'x', role: 'viewer', password: PASSWORD } },
    })
    const authorization = `Bearer ${token}`
    const asProgram = () => hub.send({ url: '/api/v1/platforms', headers: { authorization } })
    assert.equal((await asProgram()).status, 200)
    const { operator } = await hub.call('PATCH /api/v1/operators/:id', {
      ...{ params: { id }, body: { disabled: true }, as: admin },
    })
    assert.ok(operator.disabled_at)
    expectError(await hub.callAs(bob, 'GET', '/api/v1/platforms'), 401, 'not_signed_in')
    expectError(await asProgram(), 401, 'not_signed_in')
    const correct = await hub.sendSignIn('bob@example.org')
    expectError(correct, 403, 'operator_disabled')
    assert.ok(!correct.cookies.some((cookie) => /session_token=[^;]/.test(cookie)))
    const wrong = await hub.sendSignIn('bob@example.org', 'not the password')
    expectError(wrong, 401, 'invalid_email_or_password')
    assert.equal(await hub.countRows('operator_sessions'), 1)
    const enable = { disabled: false, password: PASSWORD }
    await hub.callAs(admin, 'PATCH', `/api/v1/operators/${id}`, enable)
    await hub.signIn('bob@example.org')
  })

  test('a remaining session of a disabled operator is rejected', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const admin = await hub.signIn()
    await hub.sql(`UPDATE operators SET disabled_at = '2026-01-01T00:00:00.000Z'`)
    expectError(await hub.callAs(admin, 'GET', '/api/v1/platforms'), 401, 'not_signed_in')
  })

  test('the last admin cannot be removed, disabled or demoted', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const admin = await hub.signIn()
    const { account } = await hub.call('GET /api/v1/account', { as: admin })
    const url = `/api/v1/operators/${account.id}`
    for (const change of [{ role: 'operator', password: PASSWORD }, { disabled: true }]) {
      expectError(await hub.callAs(admin, 'PATCH', url, change), 409, 'last_admin')
    }
    expectError(await hub.callAs(admin, 'DELETE', url), 409, 'last_admin')
    expectError(await hub.callAs(admin, 'PATCH', url, {}), 400, 'invalid_request')
    const unknown = await hub.callAs(admin, 'PATCH', '/api/v1/operators/none', { role: 'admin' })
    expectError(unknown, 404, 'not_found')
  })
})

describeHub('API tokens', { withOperator: true }, (hub) => {
  test('a token is created, shown once, used, and rejected after it is revoked', async () => {
    const admin = await hub.signIn()
    const { token, api_token } = await hub.call('POST /api/v1/tokens', {
      as: admin,
      body: { name: 'nightly export', role: 'operator', expires_in_days: 30, password: PASSWORD },
    })
    const { id, hint, created_by, last_used_at } = api_token
    assert.deepEqual([created_by, last_used_at], [EMAIL, null])
    assert.match(token, /^rht_/)
    const headers = { authorization: `Bearer ${token}` }
    assert.equal((await hub.send({ url: '/api/v1/pulls', headers })).status, 200)
    const { tokens } = await hub.call('GET /api/v1/tokens', { as: admin })
    expectAbsent([token], [JSON.stringify(tokens), hub.log()])
    const shown = tokens.find((one) => one.id === id)
    assert.equal(shown?.hint, hint)
    assert.ok(shown?.last_used_at)
    await hub.call('DELETE /api/v1/tokens/:id', { params: { id }, as: admin })
    expectError(await hub.send({ url: '/api/v1/pulls', headers }), 401, 'not_signed_in')
    expectError(await hub.callAs(admin, 'DELETE', `/api/v1/tokens/${id}`), 404, 'not_found')
  })

  test("an operator cannot create a token above their role, nor see or revoke another's", async () => {
    await hub.addOperator('vic@example.org', 'viewer')
    const vic = await hub.signIn('vic@example.org')
    const createToken = (role: string) =>
      hub.callAs(vic, 'POST', '/api/v1/tokens', { name: 'v', role, password: PASSWORD })
    expectError(await createToken('admin'), 403, 'forbidden')
    expectError(await createToken('operator'), 403, 'forbidden')
    const { token } = expectObject(await createToken('viewer'), 201)
    const own = await hub.call('GET /api/v1/tokens', { as: vic })
    assert.equal(own.tokens.map(({ name }) => name).join(), 'v')
    const all = await hub.call('GET /api/v1/tokens')
    const other = all.tokens.find(({ name }) => name === 'test admin')
    const revoked = await hub.callAs(vic, 'DELETE', `/api/v1/tokens/${other?.id}`)
    expectError(revoked, 404, 'not_found')
    const headers = { authorization: `Bearer ${token}` }
    const above = await hub.send({
      ...{ method: 'POST', url: '/api/v1/tokens', headers },
      body: { name: 'w', role: 'admin' },
    })
    expectError(above, 403, 'forbidden')
  })

  test('a token created with another token expires no later, and both are in the inbox until they are revoked', async () => {
    const parent = await hub.call('POST /api/v1/tokens', {
      as: await hub.signIn(),
      body: {
        ...{ name: 'parent', role: 'admin', scope: 'access', expires_in_days: 3 },
        password: PASSWORD,
      },
    })
    const child = await hub.call('POST /api/v1/tokens', {
      as: { headers: { authorization: `Bearer ${parent.token}` } },
      body: { name: 'child', role: 'viewer', expires_in_days: null },
    })
    const { id, expires_at } = parent.api_token
    assert.equal(child.api_token.expires_at, expires_at)
    const readItems = async () => (await hub.call('GET /api/v1/inbox', { as: 'viewer' })).items
    const items = await readItems()
    assert.deepEqual(items.map(({ title }) => title).sort(), [
      'The API token "child" expires in 3 days',
      'The API token "parent" expires in 3 days',
    ])
    const reason = items.find(({ key }) => key === `token_expiring ${id}`)?.reason ?? ''
    assert.match(reason, new RegExp(`^Created by ${EMAIL}, last used at .* From ${expires_at},`))
    await hub.call('DELETE /api/v1/tokens/:id', { params: { id } })
    assert.deepEqual(await readItems(), [])
  })
})

describeOnEngines('the audit log and the about page', (engine) => {
  test('the audit log is filtered and paginated', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    for (let n = 0; n < 5; n++) await hub.invite(`n${n}@example.org`, 'viewer')
    const invites = await hub.audit('&action=operator.invite')
    assert.equal(invites.length, 5)
    assert.equal(invites[0]?.['target'], 'n4@example.org')
    assert.ok(invites.every((entry) => entry['actor'] === 'token 5 (test access)'))
    assert.equal((await hub.audit('&target=n2@example.org')).length, 1)
    const first = expectObject(await hub.get('/api/v1/audit?action=operator.invite&limit=2'), 200)
    const cursor = String(first['next_cursor'])
    const rest = expectObject(
      await hub.get(`/api/v1/audit?action=operator.invite&cursor=${cursor}`),
      200,
    )
    assert.ok(Array.isArray(rest['audit']))
    assert.deepEqual([rest['audit'].length, rest['next_cursor']], [3, null])
    assert.equal((await hub.audit('&from=2100-01-01T00:00:00Z')).length, 0)
    assert.equal((await hub.audit('&until=2000-01-01T00:00:00%2B02:00')).length, 0)
  })

  test("a viewer reads the hub's version, engine, size and retention", async () => {
    await using hub = await startTestHub(engine)
    const response = expectObject(await hub.callAs('viewer', 'GET', '/api/v1/about'), 200)
    const about = Object(response['about'])
    assert.equal(about.version, '0.0.0-test')
    assert.equal(about.healthy, true)
    assert.match(about.engine, /^(sqlite|postgres)$/)
    assert.match(about.engine_version, /^\d+\.\d+/)
    assert.ok(about.bytes > 10_000)
    assert.equal(about.retention.days.history, 365)
    assert.equal(about.retention.activity_entries, 1_000_000)
  })
})
