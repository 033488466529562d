/** Pages, unknown routes, the OpenAPI document, and health. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { Snapshot } from '@recordhub/protocol'
import { isJsonObject } from '@recordhub/protocol/lossless-json'
import { HubError } from '../../src/errors.ts'
import type { Storage } from '../../src/storage/port/storage.ts'
import { describeHub, describeOnEngines } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { expectBody, expectError, expectObject } from '../helpers/hub/response.ts'
import type { Session } from '../helpers/operator.ts'

const REALTIME = '/dashboard/realtime'

describeHub('pages and other routes', { withOperator: true }, (hub, engine) => {
  let session: Session
  before(async () => {
    session = await hub.signIn()
  })

  for (const url of ['/dashboard', '/sign-in', '/setup']) {
    test(`${url} has a policy that forbids inline scripts, and contains none`, async () => {
      await using fresh = await startTestHub(engine)
      const page =
        url === '/setup'
          ? await fresh.send({ url })
          : await hub.send({ url, headers: { cookie: session.cookie } })
      assert.equal(page.status, 200)
      const policy = page.header('content-security-policy')
      assert.match(policy, /default-src 'none'/)
      assert.match(policy, /frame-ancestors 'none'/)
      assert.doesNotMatch(policy, /unsafe-inline|unsafe-eval|\*/)
      assert.equal(page.header('x-content-type-options'), 'nosniff')
      assert.equal(page.header('cache-control'), 'no-store')
      assert.doesNotMatch(page.text, /<script(?![^>]* src=)|\son\w+=|style="|javascript:/i)
      for (const [, src = ''] of page.text.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)) {
        assert.equal((await hub.send({ url: src })).status, 200, src)
      }
    })
  }

  test('scripts are compressed and cached as immutable; files without a hashed name are not', async () => {
    const { text } = await hub.send({ url: '/sign-in' })
    const scripts = [...text.matchAll(/src="(\/assets\/[^"]+\.js)"/g)]
    const url = scripts[0]?.[1] ?? assert.fail('the page has no script')
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip', 'gzip'],
      ['identity', ''],
    ]) {
      const file = await hub.send({ url, headers: { 'accept-encoding': accepted ?? '' } })
      assert.equal(file.header('content-encoding'), encoding)
      assert.match(file.header('content-type'), /^(text|application)\/javascript/)
      assert.match(file.header('cache-control'), /immutable/)
    }
    const icon = await hub.send({ url: '/assets/icon.svg' })
    assert.doesNotMatch(icon.header('cache-control'), /immutable/)
  })

  test('a page URL serves the document with the csrf-token of the session; without one it redirects to the sign-in page, which returns to it', async () => {
    const url = '/dashboard/records?q=ann&sort=full_name'
    const page = await hub.send({ url, headers: { cookie: session.cookie } })
    assert.equal(page.status, 200)
    assert.ok(page.text.includes(`<meta name="csrf-token" content="${session.csrf}">`))
    const anonymous = await hub.send({ url })
    assert.equal(anonymous.status, 302)
    assert.equal(anonymous.header('location'), `/sign-in?${new URLSearchParams({ next: url })}`)
  })

  test('each document has its own nonce, which its content security policy allows', async () => {
    const nonces = new Set<string>()
    for (let count = 0; count < 3; count++) {
      const page = await hub.send({ url: '/sign-in' })
      const nonce = /<meta property="csp-nonce" nonce="([^"]+)">/.exec(page.text)?.[1] ?? ''
      assert.ok(page.header('content-security-policy').includes(`'nonce-${nonce}'`))
      nonces.add(nonce)
    }
    assert.equal(nonces.size, 3)
  })

  test('unknown routes return 404: JSON below /api, a page for browsers', async () => {
    for (const url of ['/api/nothing', '/api/v1/nothing', '/api/webhook/receive/']) {
      const headers = { accept: 'text/html' }
      expectError(await hub.send({ url, headers }), 404, 'not_found')
    }
    const page = await hub.send({ url: '/nothing', headers: { accept: 'text/html' } })
    assert.equal(page.status, 404)
    assert.match(page.header('content-type'), /^text\/html/)
    for (const url of ['/assets/../app.ts', '/assets/%2e%2e%2fapp.ts', '/assets/constructor']) {
      assert.equal((await hub.send({ url })).status, 404)
    }
  })

  test('a malformed URL returns 400 like any other invalid request', async () => {
    for (const segment of ['%ED%A0%80', '%', 'x'.repeat(2000)]) {
      const response = await hub.send({ url: `/api/v1/platforms/1/modules/${segment}/records` })
      expectError(response, 400, 'invalid_request')
    }
  })

  test('the OpenAPI document names every route that programs and platforms use', async () => {
    const { paths, openapi } = expectObject(await hub.send({ url: '/api/openapi.json' }), 200)
    assert.match(String(openapi), /^3\./)
    assert.ok(isJsonObject(paths))
    for (const [path, methods] of [
      ['/api/webhook/receive', ['post', 'patch']],
      ['/api/webhook/check', ['get']],
      ['/api/webhook/guide', ['get']],
      ['/dashboard/realtime', ['get']],
      ['/dashboard/pull-all-existing-records', ['post']],
      ['/dashboard/auto-sync', ['post']],
      ['/api/v1/session', ['get']],
      ['/api/v1/platforms', ['get', 'post']],
      ['/api/v1/platforms/probe', ['post']],
      ['/api/v1/platforms/{id}', ['get', 'patch']],
      ['/api/v1/records', ['get']],
      ['/api/v1/records/{record_id}', ['get']],
      ['/api/v1/records/{record_id}/history', ['get']],
      ['/api/v1/pulls', ['get', 'post']],
      ['/api/v1/pulls/{id}', ['get']],
      ['/api/v1/activity', ['get']],
      ['/api/v1/rejected-pushes', ['get']],
    ] as const) {
      const operations = paths[path]
      assert.ok(isJsonObject(operations), path)
      for (const method of methods) assert.ok(method in operations, `${method} ${path}`)
    }
  })
})

describeOnEngines('health', (engine) => {
  test('a hub that can write is alive and ready, without authentication', async () => {
    await using hub = await startTestHub(engine)
    for (const [url, status] of [
      ['/healthz', 'alive'],
      ['/readyz', 'ready'],
    ] as const) {
      assert.deepEqual(expectObject(await hub.send({ url }), 200), { success: true, status })
    }
  })

  test('a hub that cannot write is alive but not ready', async () => {
    const error = new HubError('storage_unavailable', { seconds: 5 }, { retryAfterSeconds: 5 })
    for (const thrown of [error, new Error('an unexpected error')]) {
      const checkWritable = () => Promise.reject(thrown)
      const wrap = (storage: Storage): Storage => ({ ...storage, checkWritable })
      await using hub = await startTestHub(engine, { wrap })
      assert.equal((await hub.send({ url: '/healthz' })).status, 200)
      const response = await hub.send({ url: '/readyz' })
      expectError(response, 503, 'storage_unavailable')
      assert.equal(response.header('retry-after'), '5')
    }
  })

  test('after a failure of the disk, requests in progress are not acknowledged either', async () => {
    const checked = Promise.withResolvers<void>()
    const wrap = (storage: Storage): Storage => ({
      ...storage,
      checkWritable: () => checked.promise,
    })
    await using hub = await startTestHub(engine, { wrap })
    const inProgress = hub.send({ url: '/readyz' })
    await hub.send({ url: '/healthz' })
    hub.rejectAll()
    checked.resolve()
    for (const response of [await inProgress, await hub.send({ url: '/healthz' })]) {
      expectError(response, 503, 'storage_failed')
      assert.equal(response.header('retry-after'), '5')
    }
  })

  test('a hub that is stopping is not ready', async () => {
    await using hub = await startTestHub(engine)
    const stopping = hub.stop()
    expectError(await hub.send({ url: '/readyz' }), 503, 'shutting_down')
    await stopping
  })

  test('a pull without any platform appears in the snapshot', async () => {
    await using hub = await startTestHub(engine, { withOperator: true })
    const { pull } = await hub.pullAll()
    const { headers } = await hub.signIn()
    const response = await hub.send({ url: REALTIME, headers })
    assert.equal(expectBody(response, 200, Snapshot).latest_sync?.pull_id, pull.id)
  })
})
