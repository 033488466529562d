/** Uses every function of a hub with full logging, then searches its output and storage for secrets. */

import assert from 'node:assert/strict'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { sendRaw } from '../helpers/hub/raw-requests.ts'
import { totpCode } from '../helpers/hub/totp.ts'
import { type Responder, respond, simulatePlatform } from '../helpers/platform/platform.ts'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { findLeaks, readStoredData, type Secrets } from '../helpers/process/leaks.ts'
import { createOperatorClient } from '../helpers/process/operator.ts'
import { OPERATOR, test } from '../helpers/process/sandbox.ts'
import { until } from '../helpers/time/until.ts'

const SOURCE_KEY = 'source-key/with+signs=0123456789abcdef'
const SETTINGS = {
  HUB_SECRET: 'the secret of the hub that searches for leaks 0123456789',
  HUB_PUBLIC_URL: 'http://localhost:9',
  HUB_SMTP_URL: 'smtp://mailer:password-of-the-mail-server@127.0.0.1:9',
  HUB_ALERT_FROM: 'hub@example.org',
  HUB_ALERT_TO: 'ops@example.org',
  HUB_OIDC_ISSUER: 'http://127.0.0.1:9',
  HUB_OIDC_CLIENT_ID: 'recordhub',
  HUB_OIDC_CLIENT_SECRET: 'client-secret-of-the-single-sign-on',
  HUB_LOG_LEVEL: 'trace',
  HUB_ACCESS_LOG: 'on',
  HUB_METRICS_TOKEN: 'the token of the scraper 0123456789 0123456789',
  OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
  OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20secret-of-the-collector',
}
const NEW_PASSWORD = 'another horse, another battery 2'

/** Responses that contain the received key, as error pages of some frameworks do. */
const echo: readonly Responder[] = [
  (response, request) => {
    const message = `No ${request.headers['x-platform-api-key']} here`
    respond.json({ success: false, message })(response, request)
  },
  respond.redirect(`https://elsewhere.example/?key=${encodeURIComponent(SOURCE_KEY)}`),
  respond.text(SOURCE_KEY, 'text/plain'),
  respond.json({
    success: true,
    records: [{ reference_number: '', api_key: SOURCE_KEY, note: SOURCE_KEY }],
  }),
  respond.json({ success: true, platform_name: SOURCE_KEY, record_type: SOURCE_KEY, records: [] }),
  respond.text('{}', 'application/json', { 'Content-Encoding': SOURCE_KEY }),
  respond.text(
    `{"success":false,"message":"Basic ${Buffer.from(SOURCE_KEY).toString('base64')}"}`,
    'application/json',
  ),
]

for (const engine of enginesForTier(sqlite)) {
  test(`no key, password, token or code appears in the output and storage of a hub (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const secrets: Record<string, string> = {
      'the password': OPERATOR.password,
      'the new password': NEW_PASSWORD,
      'the source key': SOURCE_KEY,
      'the secret': SETTINGS.HUB_SECRET,
      'the mail password': 'password-of-the-mail-server',
      'the client secret': SETTINGS.HUB_OIDC_CLIENT_SECRET,
      'the metrics token': SETTINGS.HUB_METRICS_TOKEN,
      "the collector's secret": 'secret-of-the-collector',
    }
    const responses: string[] = []
    const first = await sandbox.startHub({ env: SETTINGS })
    const { address } = first
    const send = async (path: string, init: RequestInit = {}) => {
      const response = await fetch(`${address}${path}`, { redirect: 'manual', ...init })
      const text = await response.text()
      return { response, text }
    }
    const json = { 'Content-Type': 'application/json' }
    const signIn = (password: string) =>
      send('/api/auth/sign-in/email', {
        method: 'POST',
        headers: json,
        body: JSON.stringify({ ...OPERATOR, password }),
      })
    responses.push((await signIn('not the right password')).text)
    const { response } = await signIn(OPERATOR.password)
    const cookie = response.headers
      .getSetCookie()
      .map((one) => one.split(';')[0] ?? '')
      .join('; ')
    // The session table contains the token, which is useless without its signature.
    secrets['the cookie'] = decodeURIComponent(cookie.split('=').slice(1).join('='))
    secrets["the cookie's signature"] = secrets['the cookie'].split('.').at(-1) ?? ''
    const session = JSON.parse((await send('/api/v1/session', { headers: { cookie } })).text)
    secrets['the CSRF token'] = session.csrf_token
    const operator = createOperatorClient(address, { cookie, 'X-CSRF-TOKEN': session.csrf_token })

    await using platform = await simulatePlatform({ source_api_key: SOURCE_KEY })
    const { source_base_url } = platform
    const registration = { source_base_url, source_api_key: SOURCE_KEY, record_types: ['cases'] }
    const registered = JSON.parse(await operator.request('POST', '/api/v1/platforms', registration))
    const { id } = registered.platform
    const key = registered.hub_api_key
    secrets['the hub key'] = key
    responses.push((await operator.call('POST', '/api/v1/platforms', registration)).text)

    for (const [endpoint, path] of [
      ['ping', 'test'],
      ['manifest', 'manifest/refresh'],
      ['records/cases', 'test'],
    ] as const) {
      for (const behaviour of echo) {
        platform.setResponse(endpoint, behaviour)
        responses.push((await operator.call('POST', `/api/v1/platforms/${id}/${path}`, {})).text)
        responses.push((await operator.call('POST', '/api/v1/platforms/probe', registration)).text)
        if (endpoint === 'records/cases') responses.push(JSON.stringify(await operator.pullAll()))
      }
      platform.setResponse(endpoint, null)
    }
    for (const behaviour of echo) {
      platform.setResponse('search', behaviour)
      responses.push((await operator.call('GET', '/api/v1/search?query=person')).text)
    }

    // Pushes that contain the key in unexpected positions.
    const record = {
      module_name: 'Cases',
      record_type: 'cases',
      reference_number: 'R-1',
      full_name: 'Ann',
      data: {},
    }
    const push = (headers: Record<string, string>, body: unknown, query = '') =>
      send(`/api/webhook/receive${query}`, {
        method: 'POST',
        headers: { ...json, ...headers },
        body: JSON.stringify(body),
      })
    const accepted = await push({ 'X-API-KEY': key }, record)
    assert.equal(accepted.response.status, 201)
    for (const [headers, body, query] of [
      [{ 'X-API-KEY': `${key}x` }, record, ''],
      [{ 'X-API-KEY': key.toLowerCase() }, record, ''],
      [{ Authorization: `Bearer ${key}` }, record, ''],
      [{ Cookie: `key=${key}`, Referer: `http://x/${key}`, 'User-Agent': key }, record, ''],
      [{}, record, `?api_key=${key}`],
      [{ 'X-API-KEY': key }, { ...record, record_type: 'unknown', api_key: key }, ''],
      [{ 'X-API-KEY': key }, { ...record, data: key }, ''],
      [
        { 'X-API-KEY': key },
        { ...record, data: 7, full_name: key, note: { [key]: key } },
        `?${key}`,
      ],
    ] as const) {
      responses.push((await push(headers, body, query)).text)
    }
    for (const path of [
      `/${key}`,
      `/api/v1/records/${key}`,
      `/api/v1/platforms/${key}`,
      `/dashboard?${key}`,
    ]) {
      const response = await send(path, { headers: { cookie } })
      if (!path.includes('?')) responses.push(response.text)
    }
    responses.push(
      await sendRaw(
        address,
        `POST /api/webhook/receive HTTP/1.1\r\nHost: hub\r\nX-API-KEY: ${key}\r\nContent-Length: x\r\n\r\n`,
      ),
    )

    // Responses that contain a secret on purpose are not searched.
    const { password } = OPERATOR
    assert.ok(
      (
        await operator.request('POST', `/api/v1/platforms/${id}/hub-key/reveal`, {
          password,
        })
      ).includes(key),
    )
    responses.push(
      (
        await operator.call('POST', `/api/v1/platforms/${id}/hub-key/reveal`, {
          password: NEW_PASSWORD,
        })
      ).text,
    )
    secrets['the rotated key'] = JSON.parse(
      await operator.request('POST', `/api/v1/platforms/${id}/hub-key/rotate`, {
        grace_seconds: 60,
      }),
    ).hub_api_key
    secrets['the token'] = JSON.parse(
      await operator.request('POST', '/api/v1/tokens', { name: 'report', role: 'viewer' }),
    ).token
    const invitation = JSON.parse(
      await operator.request('POST', '/api/v1/invitations', {
        email: 'bob@example.org',
        role: 'viewer',
      }),
    )
    secrets['the invitation'] = tokenOfLink(invitation.link)
    for (const path of ['/api/v1/invitation', '/invitation', '/setup']) {
      const body = JSON.stringify({ token: secrets['the invitation'] })
      responses.push((await send(path, { method: 'POST', headers: json, body })).text)
    }
    responses.push((await operator.call('POST', '/api/v1/alerts/test-mail', {})).text)
    responses.push(
      (
        await send('/api/auth/sign-in/social', {
          method: 'POST',
          headers: json,
          body: '{"provider":"oidc"}',
        })
      ).text,
    )
    const factor = JSON.parse(
      await operator.request('POST', '/api/v1/account/second-factor', { password }),
    )
    secrets['the TOTP secret'] = new URL(factor.totp_uri).searchParams.get('secret') ?? ''
    for (const [index, code] of factor.recovery_codes.entries()) {
      secrets[`recovery code ${index}`] = code
      secrets[`recovery code ${index} without dashes`] = code.replaceAll('-', '')
    }
    responses.push(
      (await operator.call('POST', '/api/v1/account/second-factor/confirm', { code: '000000' }))
        .text,
    )
    await operator.request('POST', '/api/v1/account/second-factor/confirm', {
      code: totpCode(factor.totp_uri),
    })

    // A crash, then commands and a restart.
    await first.stop('SIGKILL')
    const runs = [
      await sandbox.run(['--help'], { env: SETTINGS }),
      await sandbox.run(['start'], {
        env: { ...SETTINGS, HUB_SECRET: 'another secret with a sufficient length' },
      }),
      await sandbox.run(['start', '--secret', SETTINGS.HUB_SECRET, '--color', 'blue']),
      await sandbox.run(['secret', 'rotate'], {
        env: { ...SETTINGS, HUB_SECRET_PREVIOUS: 'a wrong secret with a sufficient length' },
      }),
      await sandbox.run(['start'], {
        env: { ...SETTINGS, HUB_SMTP_URL: `${SETTINGS.HUB_SMTP_URL}/x?y` },
      }),
    ]
    const token = { Authorization: `Bearer ${secrets['the token']}` }
    const second = await sandbox.startHub({ env: SETTINGS })
    const created = await sandbox.run(['token', 'create', '--name', 'reader', '--role', 'admin'], {
      env: SETTINGS,
    })
    secrets['the printed token'] = created.stdout[0] ?? ''
    const admin = createOperatorClient(second.address, {
      Authorization: `Bearer ${created.stdout[0]}`,
    })
    for (const path of [
      'platforms',
      `platforms/${id}`,
      `platforms/${id}/instructions`,
      'guide',
      'activity?limit=500',
      'audit?limit=500',
      'rejected-pushes',
      'pulls',
      'tokens',
      'operators',
      'invitations',
      'alerts',
      'about',
      'single-sign-on',
      'changes',
      'records/export?format=csv',
      'records/export?format=ndjson',
    ]) {
      const read = await admin.call('GET', `/api/v1/${path}`)
      responses.push(read.text)
    }
    for (const path of [
      '/',
      '/sign-in',
      '/docs',
      '/api/openapi.json',
      '/healthz',
      '/readyz',
      '/nowhere',
    ]) {
      responses.push(await (await fetch(`${second.address}${path}`, { headers: token })).text())
    }
    await until(
      async () => ((await fetch(`${second.address}/readyz`)).ok ? true : null),
      'the hub is ready',
    )
    await second.stop()

    const sources = await readStoredData(engine, kit)
    for (const [name, { stdout, stderr }] of [
      ['first', first],
      ['second', second],
      ...runs.map((run, index) => [`run ${index}`, run] as const),
    ] as const) {
      sources.set(`the output of ${name}`, Buffer.from([...stdout, ...stderr].join('\n')))
    }
    sources.set('the responses', Buffer.from(responses.join('\n')))
    checkSecrets(secrets)
    assert.deepEqual(findLeaks(secrets, sources), [])

    // Checks that the search itself finds a planted secret.
    sources.set('a planted text', Buffer.from(`x${Buffer.from(key).toString('hex')}y`))
    assert.deepEqual(findLeaks(secrets, sources), ['the hub key, hex, in a planted text'])
    const [table = ''] = [...sources.keys()].filter((name) =>
      /(?<!search\.)sqlite$|platforms$/.test(name),
    )
    assert.ok(
      findLeaks({ name: platform.platform_name }, sources).some((source) =>
        source.endsWith(`clear, in ${table}`),
      ),
    )
  })
}

/** Asserts that no secret is empty or too short to be searched for. */
function checkSecrets(secrets: Secrets): void {
  for (const [name, secret] of Object.entries(secrets)) {
    assert.ok(secret.length >= 10, `${name} is "${secret}"`)
  }
}
