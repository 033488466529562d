/** Testing a connection: each failure has its own code and message. */
import assert from 'node:assert/strict'
import { get } from 'node:http'
import { createServer } from 'node:https'
import { test } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { gzipSync } from 'node:zlib'
import { ProbeResponse } from '@recordhub/protocol'
import { SELF_SIGNED_CERTIFICATE } from '../helpers/hub/certificate.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { EMAIL, startTestHub, type TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectBody, expectError, expectMembers } from '../helpers/hub/response.ts'
import {
  manifestOf,
  type Responder,
  respond,
  type SimulatedPlatform,
  simulatedModule,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { rounds } from '../helpers/time/tier.ts'
import { untilTrue } from '../helpers/time/until.ts'

async function probe(hub: TestHub, target: object): Promise<ProbeResponse> {
  const response = await hub.callAs('operator', 'POST', '/api/v1/platforms/probe', {
    source_api_key: 'an unknown source key',
    ...target,
  })
  return expectBody(response, 200, ProbeResponse)
}

function probeOf(hub: TestHub, { source_base_url, source_api_key }: SimulatedPlatform) {
  return probe(hub, { source_base_url, source_api_key })
}

const manifest = (modules: unknown[]) => ({ ...manifestOf('x', []), modules })
const PING = { success: true, message: 'online', platform_name: 'x' }
const module = { module_name: 'A', record_type: 'a', fields: [] }

/** The behaviour of an endpoint, the expected error code, and a pattern of the expected message. */
const FAULTS: readonly (readonly [string, Responder, string, RegExp])[] = [
  ['returns 401', respond.status(401), 'platform_rejected_key', /source API key.*401/],
  ['returns 403', respond.status(403), 'platform_rejected_key', /source API key.*403/],
  ['returns 404', respond.status(404), 'platform_path_missing', /\/api\/hub\/.*404/],
  ['returns 500', respond.status(500), 'platform_failed', /HTTP 500/],
  ['returns 503', respond.status(503), 'platform_failed', /HTTP 503/],
  ['returns 204', respond.status(204), 'platform_failed', /HTTP 204/],
  ['returns an HTML page', respond.html(), 'platform_not_json', /HTML page/],
  [
    'returns HTML declared as JSON',
    respond.text('<html>', 'application/json'),
    'platform_not_json',
    /HTML/,
  ],
  ['returns an empty body', respond.text('', 'application/json'), 'platform_not_json', /nothing/],
  [
    'returns malformed JSON',
    respond.text('{"a":', 'application/json'),
    'platform_response_invalid',
    /not valid JSON/,
  ],
  ['returns a text', respond.text('Hello', 'text/plain'), 'platform_not_json', /the text "Hello"/],
  [
    'returns a number that JSON does not have',
    respond.text('{"success":true,"a":-Infinity}', 'application/json'),
    'platform_response_invalid',
    /it contains -Infinity at position \d+, which JSON does not have; send null/,
  ],
  [
    'returns Latin-1',
    respond.text(Buffer.from('{"message":"\xfc"}', 'latin1'), 'application/json'),
    'platform_response_invalid',
    /not valid UTF-8; probably it is Latin-1/,
  ],
  [
    'returns a warning of PHP',
    respond.text(
      '<br />\n<b>Warning</b>:  Undefined variable $a in <b>/app/a.php</b> on line <b>3</b><br />\n{}',
      'text/html; charset=UTF-8',
    ),
    'platform_response_invalid',
    /PHP wrote .*"Warning: Undefined variable \$a in \/app\/a\.php on line 3"\. .*display_errors=0/,
  ],
  [
    'responds on plain HTTP like nginx with TLS',
    (response) =>
      response
        .writeHead(400, { 'Content-Type': 'text/html' })
        .end('<title>400 The plain HTTP request was sent to HTTPS port</title>'),
    'platform_unreachable',
    /its port uses TLS; the URL must begin with https:/,
  ],
  ['returns an array', respond.json([]), 'platform_response_invalid', /object/],
  ['returns an empty object', respond.json({}), 'platform_response_invalid', /\w/],
  [
    'returns success: false',
    respond.json({ ...manifest([module]), ...PING, success: false, message: 'Closed today' }),
    'platform_reports_failure',
    /: Closed today\)/,
  ],
  ['is cut off', respond.truncated('{"success":true,'), 'platform_broke_off', /cut off/],
  ['closes the connection', respond.disconnect(), 'platform_unreachable', /cut off/],
  [
    'returns invalid gzip',
    respond.text('{}', 'application/json', { 'Content-Encoding': 'gzip' }),
    'platform_response_invalid',
    /Content-Encoding/,
  ],
]

/** Longer than the maximum length of a PostgreSQL index entry. */
const LONG = Array.from({ length: 3000 }, (_, n) => String.fromCodePoint(0x4e00 + n)).join('')

const BAD_MANIFESTS: readonly (readonly [string, unknown, RegExp])[] = [
  ['no modules', { ...manifest([]), modules: undefined }, /modules/],
  ['no title', { ...manifest([module]), platform_title: undefined }, /platform_title/],
  [
    'a module without a record_type',
    manifest([{ ...module, record_type: undefined }]),
    /record_type/,
  ],
  ['a duplicate record_type', manifest([module, module]), /two modules/],
  ['the record_type ..', manifest([{ ...module, record_type: '..' }]), /path/],
  ['the record_type .', manifest([{ ...module, record_type: '.' }]), /path/],
  [
    'a duplicate field',
    manifest([{ ...module, fields: [{ key: 'a' }, { key: 'a' }] }]),
    /two fields/,
  ],
  ['a field without a key', manifest([{ ...module, fields: [{ label: 'A' }] }]), /key/],
  ['a name that is too long', { ...manifest([module]), platform_name: LONG }, /_name .*512/],
  ['a title that is too long', { ...manifest([module]), platform_title: LONG }, /_title .*512/],
  ['a record_type that is too long', manifest([{ ...module, record_type: LONG }]), /_type .*512 b/],
  ['U+0000 in a name', manifest([{ ...module, module_name: 'a\0' }]), /null character/],
]

/** Base URLs that are rejected before any request. */
const ADDRESSES: readonly (readonly [string, string])[] = [
  ['http://user:secret@127.0.0.1', 'source_url_invalid'],
  ['http://127.0.0.1/?key=secret', 'source_url_invalid'],
  ['http://127.0.0.1/?', 'source_url_invalid'],
  ['http://127.0.0.1/#a', 'source_url_invalid'],
  ['http://127.0.0.1/#', 'source_url_invalid'],
  ['ftp://127.0.0.1', 'source_url_invalid'],
  ['file:///etc/passwd', 'source_url_invalid'],
  ['127.0.0.1', 'source_url_invalid'],
  ['https://', 'source_url_invalid'],
  ['http://169.254.169.254', 'platform_address_rejected'],
  ['http://2852039166', 'platform_address_rejected'],
  ['http://0xa9.0xfe.0xa9.0xfe/latest', 'platform_address_rejected'],
  ['http://[::ffff:169.254.169.254]', 'platform_address_rejected'],
  ['http://[fe80::1]', 'platform_address_rejected'],
  ['http://[fd00:ec2::254]', 'platform_address_rejected'],
  ['http://100.100.100.200', 'platform_address_rejected'],
]

describeHub('testing a connection', (hub) => {
  test('a conforming platform has no problems, and nothing is stored', async () => {
    await using platform = await simulatePlatform()
    const before = await hub.countStoredRows()
    const response = await probeOf(hub, platform)
    expectMembers(response, [
      'success',
      'source_base_url',
      'ping',
      'manifest',
      'problems',
      'checks',
    ])
    const { success: _, ...described } = manifestOf(platform.platform_name, platform.modules)
    const { checks, ...rest } = response
    assert.deepEqual(
      checks.map((one) => [one.check, one.ok]),
      [
        ['reachable', true],
        ['ping', true],
        ['manifest', true],
      ],
    )
    assert.deepEqual(rest, {
      success: true,
      source_base_url: platform.source_base_url,
      ping: {
        success: true,
        message: 'The platform is online.',
        platform_name: platform.platform_name,
      },
      manifest: described,
      problems: [],
    })
    assert.deepEqual(await hub.countStoredRows(), before)
  })

  for (const endpoint of ['ping', 'manifest'] as const) {
    const faults = endpoint === 'ping' ? FAULTS : FAULTS.slice(0, rounds(4, FAULTS.length))
    for (const [what, behaviour, code, message] of faults) {
      test(`a ${endpoint} that ${what} is reported as ${code}`, async () => {
        await using platform = await simulatePlatform()
        platform.setResponse(endpoint, behaviour)
        const response = await probeOf(hub, platform)
        const problem = only(response.problems)
        assert.equal(response.success, false)
        assert.equal(response[endpoint], null)
        assert.equal(problem.code, code, problem.message)
        assert.match(problem.message, message)
        expectAbsent([platform.source_api_key], [JSON.stringify(response), hub.log()])
        const registration = await hub.sendRegistration(platform)
        assert.ok(registration.status >= 400)
        expectError(registration, registration.status, code)
      })
    }
  }

  const paths = ['/api', '/api/hub/manifest', '/api/', '/api/hub']
  for (const path of paths.slice(0, rounds(2, paths.length))) {
    test(`a base URL that ends in ${path} is corrected`, async () => {
      await using platform = await simulatePlatform({ modules: [simulatedModule('cases')] })
      const { source_base_url, source_api_key } = platform
      const entered = { source_base_url: source_base_url + path, source_api_key }
      const response = await probe(hub, entered)
      assert.deepEqual(response.problems, [])
      assert.equal(response.source_base_url, source_base_url)
      assert.ok(
        response.checks[0]?.message.includes(`base URL of the platform is ${source_base_url}.`),
      )
      const wrongKey = await probe(hub, { ...entered, source_api_key: 'a wrong key' })
      assert.equal(only(wrongKey.problems).code, 'platform_rejected_key')
      assert.equal(wrongKey.source_base_url, source_base_url)
      const { id } = await hub.register(platform, entered)
      const read = await hub.get(`/api/v1/platforms/${id}`)
      assert.equal(JSON.parse(read.text).platform.source_base_url, source_base_url)
    })
  }

  test('with only_ping, neither the manifest nor anything else is requested', async () => {
    await using platform = await simulatePlatform()
    const { source_base_url, source_api_key } = platform
    const only_ping = { only_ping: true, check_everything: true }
    const pinged = await probe(hub, { source_base_url, source_api_key, ...only_ping })
    const { success, ping, manifest, checks } = pinged
    assert.deepEqual([success, ping?.platform_name, manifest], [true, platform.platform_name, null])
    assert.deepEqual(
      checks.map(({ check }) => check),
      ['reachable', 'ping'],
    )
    assert.deepEqual(
      platform.requests.map(({ path }) => path),
      ['/api/hub/ping'],
    )
  })

  test('a base URL of a platform may end in /api', async () => {
    await using platform = await simulatePlatform({ pathPrefix: '/api' })
    const response = await probeOf(hub, platform)
    assert.match(platform.source_base_url, /\/api$/)
    assert.deepEqual([response.success, response.source_base_url], [true, platform.source_base_url])
    platform.setResponse('ping', respond.status(500))
    const failing = await probeOf(hub, platform)
    assert.equal(only(failing.problems).code, 'platform_failed')
    assert.equal(failing.source_base_url, platform.source_base_url)
  })

  test('a redirect to the same endpoint suggests its base URL, and no other redirect does', async () => {
    await using platform = await simulatePlatform()
    const { source_api_key: key } = platform
    for (const [location, suggested] of [
      ['https://www.example.org/app/api/hub/ping?x=1', 'https://www.example.org/app'],
      ['//user:pass@example.org/api/hub/ping', 'http://example.org'],
      ['/app/api/hub/ping', `${platform.source_base_url}/app`],
      ['/api/hub/ping', null],
      ['/sign-in', null],
      [`https://example.org/${key}/api/hub/ping`, null],
      ['file:///api/hub/ping', null],
      ['', null],
    ] as const) {
      platform.setResponse('ping', respond.status(302, { Location: location }))
      const { checks } = await probeOf(hub, platform)
      const ping = checks.find(({ check }) => check === 'ping')
      assert.deepEqual(
        [ping?.code, ping?.suggested_base_url],
        ['platform_redirected', suggested],
        location,
      )
    }
  })

  for (const [what, body, message] of BAD_MANIFESTS) {
    test(`a manifest with ${what} is reported as platform_response_invalid`, async () => {
      await using platform = await simulatePlatform({ platform_name: 'x' })
      platform.setResponse('manifest', respond.json(body))
      const { success, problems } = await probeOf(hub, platform)
      assert.equal(success, false)
      assert.equal(only(problems).code, 'platform_response_invalid')
      assert.match(only(problems).message, message)
    })
  }

  test('a manifest may omit descriptive members, which get defaults', async () => {
    await using platform = await simulatePlatform({ platform_name: 'x' })
    platform.setResponse('ping', respond.json(PING))
    platform.setResponse(
      'manifest',
      respond.json(manifest([{ ...module, fields: [{ key: 'k' }] }])),
    )
    const response = await probeOf(hub, platform)
    assert.deepEqual(only(response.manifest?.modules ?? []), {
      ...module,
      description: '',
      fields: [{ key: 'k', label: 'k', type: 'string', required: false }],
    })
  })

  test('a wrong key is reported once, although ping and manifest both reject it', async () => {
    await using platform = await simulatePlatform()
    const { source_base_url } = platform
    const { problems } = await probe(hub, { source_base_url, source_api_key: 'a wrong key' })
    assert.equal(only(problems).code, 'platform_rejected_key')
  })

  test('a ping and a manifest with different names are reported with both names', async () => {
    await using platform = await simulatePlatform()
    platform.setResponse('ping', respond.json({ ...PING, platform_name: 'another_name' }))
    const { problems } = await probeOf(hub, platform)
    assert.match(only(problems).message, /another_name/)
    assert.ok(only(problems).message.includes(platform.platform_name))
  })

  test('JSON is accepted with another Content-Type, with a byte order mark, and compressed', async () => {
    await using platform = await simulatePlatform()
    const { platform_name, modules } = platform
    const text = JSON.stringify(manifestOf(platform_name, modules))
    for (const behaviour of [
      respond.text(text, 'text/plain'),
      respond.text(`\uFEFF${text}`, 'application/json; charset=utf-8'),
      respond.text(gzipSync(text), 'application/json', { 'Content-Encoding': 'gzip' }),
    ]) {
      platform.setResponse('manifest', behaviour)
      assert.deepEqual((await probeOf(hub, platform)).problems, [])
    }
  })

  test('an address without a server is reported as platform_unreachable', async () => {
    const platform = await simulatePlatform()
    await platform[Symbol.asyncDispose]()
    const { problems } = await probeOf(hub, platform)
    assert.equal(only(problems).code, 'platform_unreachable')
    assert.match(only(problems).message, /refused/)
  })

  test('an untrusted certificate is reported as platform_certificate_invalid', async () => {
    const server = createServer(SELF_SIGNED_CERTIFICATE, (_request, response) => response.end('{}'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const source_base_url = `https://localhost:${address.port}`
    const { problems } = await probe(hub, { source_base_url })
    server.close()
    assert.equal(only(problems).code, 'platform_certificate_invalid')
    assert.match(only(problems).message, /NODE_EXTRA_CA_CERTS/)
  })

  test('the end of a certificate is stored when the hub connects to its platform', async () => {
    await using platform = await simulatePlatform()
    const trusted = getCACertificates()
    setDefaultCACertificates([...trusted, SELF_SIGNED_CERTIFICATE.cert])
    const server = createServer(SELF_SIGNED_CERTIFICATE, ({ url, headers }, response) => {
      get(`${platform.source_base_url}${url}`, { headers }, (received) => {
        response.writeHead(received.statusCode ?? 500, { connection: 'close' })
        received.pipe(response)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const source_base_url = `https://localhost:${address.port}`
    const { id } = await hub.register(platform, { source_base_url })
    await hub.callAs('operator', 'POST', `/api/v1/platforms/${id}/test`, {})
    await untilTrue('the certificate is stored', async () => {
      const rows = await hub.sql(
        'SELECT platform_id AS id, certificate_expires_at AS at FROM platforms',
      )
      return rows.some((row) => row['id'] === id && row['at'] === '2126-10-28T13:02:56.000Z')
    })
    server.close()
    setDefaultCACertificates(trusted)
  })

  test('https to a port without TLS is reported as missing TLS, not as an invalid certificate', async () => {
    await using platform = await simulatePlatform()
    const source_base_url = platform.source_base_url.replace('http:', 'https:')
    const { problems } = await probe(hub, { source_base_url })
    assert.equal(only(problems).code, 'platform_unreachable')
    assert.match(only(problems).message, /does not use TLS/)
  })

  test('http to a port with TLS asks for https', async () => {
    const server = createServer(SELF_SIGNED_CERTIFICATE)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    assert.ok(address !== null && typeof address === 'object')
    const { problems } = await probe(hub, { source_base_url: `http://127.0.0.1:${address.port}` })
    server.close()
    assert.match(only(problems).message, /if its port uses TLS, the URL must begin with https:/)
  })

  for (const [source_base_url, code] of ADDRESSES) {
    test(`the address ${source_base_url} is rejected as ${code}`, async () => {
      const { success, problems } = await probe(hub, { source_base_url })
      assert.equal(success, false)
      assert.equal(only(problems).code, code, only(problems).message)
      assert.doesNotMatch(only(problems).message, /secret/)
      const body = { source_base_url, source_api_key: 'a source key', record_types: ['a'] }
      const headers = { authorization: hub.authorization('operator') }
      const request = { method: 'POST', url: '/api/v1/platforms', headers, body } as const
      expectError(await hub.send(request), 422, code)
    })
  }
})

describeOnEngines('connections with HUB_SOURCE_NETWORKS=public', (engine) => {
  const env = { HUB_SOURCE_NETWORKS: 'public' }
  const proxied = { ...env, HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: 'localhost,127.0.0.1' }
  for (const [what, settings] of [
    ['without a proxy', env],
    ['with a proxy that NO_PROXY bypasses', proxied],
  ] as const) {
    test(`a loopback address is rejected by number and by name, ${what}`, async () => {
      await using hub = await startTestHub(engine, { env: settings })
      await using platform = await simulatePlatform({ modules: [simulatedModule('a')] })
      const { port } = new URL(platform.source_base_url)
      for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '0', '2130706433']) {
        const response = await probe(hub, { source_base_url: `http://${host}:${port}` })
        assert.deepEqual(platform.requests, [], `${host} was called`)
        assert.equal(only(response.problems).code, 'platform_address_rejected', host)
      }
    })
  }
})

describeHub('the audit log of calls', { withOperator: true }, (hub) => {
  test('whoever makes the hub call an address is audited, also if the call fails', async () => {
    await using platform = await simulatePlatform({ modules: [simulatedModule('a')] })
    const { source_base_url, source_api_key, platform_name } = platform
    const target = { source_base_url, source_api_key }
    const { id } = await hub.register(platform)
    const { headers } = await hub.signIn()
    const calls = [
      ['probe', { ...target, source_base_url: `${source_base_url.replace('//', '//ann:pw@')}?q` }],
      ['conformance', target],
      [`${id}/test`, {}],
      [`${id}/conformance`, {}],
    ] as const
    for (const [path, body] of calls) {
      await hub.callAs({ headers }, 'POST', `/api/v1/platforms/${path}`, body)
    }
    await hub.callAs({ headers }, 'POST', '/api/v1/platforms/probe', {
      source_base_url: 'http://127.0.0.1:1/app/',
      source_api_key,
    })
    const audited = (await hub.audit('&action=platform.probe'))
      .toReversed()
      .map(({ actor, target, details }) => [actor, target, details])
    const registration = [String(audited[0]?.[0]), null, { source_base_url }]
    assert.match(String(registration[0]), /^token /)
    assert.deepEqual(audited, [
      registration,
      [EMAIL, null, { source_base_url }],
      [EMAIL, null, { source_base_url }],
      [EMAIL, platform_name, { source_base_url }],
      [EMAIL, platform_name, { source_base_url }],
      [EMAIL, null, { source_base_url: 'http://127.0.0.1:1/app' }],
    ])
  })
})

describeOnEngines('connections with HUB_SOURCE_SCHEMES=https', (engine) => {
  const env = { HUB_SOURCE_SCHEMES: 'https' }

  test('an http platform is neither tested nor pulled, even if it is already registered', async () => {
    await using hub = await startTestHub(engine)
    await using platform = await simulatePlatform({ modules: [simulatedModule('a')] })
    await hub.register(platform)
    await hub.restart({ env })
    platform.requests.length = 0
    const { code, message } = only((await probeOf(hub, platform)).problems)
    assert.equal(code, 'platform_address_rejected')
    assert.match(message, /http:\/\/127\.0\.0\.1:\d+.*HUB_SOURCE_SCHEMES allows only https/)
    expectError(await hub.sendRegistration(platform), 422, 'platform_address_rejected')
    const { pull, tasks } = await hub.pullAll()
    assert.equal(pull.state, 'failed')
    for (const { error } of tasks) assert.match(error ?? '', /HUB_SOURCE_SCHEMES/)
    assert.deepEqual(platform.requests, [])
  })

  test('an https platform receives requests', async () => {
    await using hub = await startTestHub(engine, { env })
    const { problems } = await probe(hub, { source_base_url: 'https://127.0.0.1:1' })
    assert.equal(only(problems).code, 'platform_unreachable')
  })
})
