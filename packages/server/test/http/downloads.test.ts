/** The packages that the hub serves to owners of platforms. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { VERSION } from '../../src/cli/version.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { expectError } from '../helpers/hub/response.ts'

const NAMES = ['platform-kit', 'platform', 'check-platform']
const urlOf = (name: string) => `/downloads/recordhub-${name}-${VERSION}.tgz`

describeHub('the downloads', (hub) => {
  const send = (url: string, method: 'GET' | 'HEAD' | 'POST' = 'GET', headers = {}) =>
    hub.send({ method, url, headers })

  for (const name of NAMES) {
    test(`${name} is served without a sign-in, as a file that clients revalidate`, async () => {
      const headers = { 'accept-encoding': 'gzip, br' }
      const file = await send(urlOf(name), 'GET', headers)
      assert.equal(file.status, 200)
      assert.equal(file.header('content-type'), 'application/gzip')
      assert.equal(file.header('content-encoding'), '')
      assert.equal(file.header('cache-control'), 'public, no-cache')
      assert.equal(file.header('x-content-type-options'), 'nosniff')
      const etag = file.header('etag')
      assert.notEqual(etag, '')
      const unchanged = await send(urlOf(name), 'GET', { 'if-none-match': etag })
      assert.deepEqual([unchanged.status, unchanged.text], [304, ''])
      const head = await send(urlOf(name), 'HEAD')
      assert.deepEqual([head.status, head.text], [200, ''])
      for (const header of ['content-type', 'content-length', 'etag', 'cache-control']) {
        assert.equal(head.header(header), file.header(header), header)
      }
      assert.ok(Number(head.header('content-length')) > 1000)
    })
  }

  test('a folder is not a file: its path returns 404', async () => {
    for (const url of ['/downloads/', '/downloads/.', '/downloads//', '/assets/']) {
      assert.equal(expectError(await send(url), 404, 'not_found').message, 'No such file.', url)
    }
  })

  test('nothing outside the folder of the packages is served', async () => {
    for (const path of [
      '../package.json',
      '%2e%2e/package.json',
      '..%2fpackage.json',
      '..%2F..%2Fpackage.json',
      '..%5c..%5cpackage.json',
      '..%252fpackage.json',
      './/../../package.json',
      '%00',
      'recordhub-platform-kit-9.9.9.tgz',
      '.',
      '',
    ]) {
      const { status, text } = await send(`/downloads/${path}`)
      assert.ok([400, 404].includes(status), `${path} is ${status}`)
      assert.doesNotMatch(text, /"private"|dependencies/)
    }
    expectError(await send('/downloads/other.tgz'), 404, 'not_found')
    expectError(await send(urlOf('platform-kit'), 'POST'), 405, 'method_not_allowed')
  })

  test('every download that the guide names exists', async () => {
    const { text } = await hub.get('/api/v1/guide')
    // The hubs of these tests have the version 0.0.0-test.
    const paths = [...text.matchAll(/\/downloads\/[^\s"`)]+/g)].map(([path]) =>
      path.replace('0.0.0-test', VERSION),
    )
    assert.deepEqual([...new Set(paths)].toSorted(), NAMES.map(urlOf).toSorted())
    for (const path of paths) assert.equal((await send(path, 'HEAD')).status, 200, path)
  })
})
