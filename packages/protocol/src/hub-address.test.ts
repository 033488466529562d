import assert from 'node:assert/strict'
import { test } from 'node:test'
import { RECEIVER_PATH } from './constants.ts'
import { hubEndpoint } from './hub-address.ts'

test('the address of a hub may contain what its pages show', () => {
  const paths = ['', '/', '/api/webhook/receive', '/api/webhook/check/', '/api/webhook', '/api/']
  for (const path of [...paths, '/dashboard', '/dashboard/platforms/3?tab=1#top']) {
    const url = hubEndpoint(`https://hub.example.org:8443${path}`, RECEIVER_PATH)
    assert.equal(url, 'https://hub.example.org:8443/api/webhook/receive', path)
  }
  assert.equal(hubEndpoint('http://h/hub/api/webhook', '/x'), 'http://h/hub/x', 'behind a prefix')
  assert.equal(hubEndpoint('http://h/hub', '/x'), 'http://h/hub/x')
  for (const other of ['', 'hub.example.org', 'ftp://hub', '/api']) {
    assert.equal(hubEndpoint(other, '/x'), null, other)
  }
})
