import assert from 'node:assert/strict'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { askHub } from './ask-hub.ts'

const RESPONSES: Record<string, [status: number, body: string]> = {
  accepted: [200, '{"success":true,"modules":[{"record_type":"people"}]}'],
  unknown: [401, '{"success":false,"message":"Invalid API key."}'],
  page: [404, '<h1>Not found</h1>'],
  other: [200, '{"success":true}'],
  failure: [200, '{"success":"true","modules":[]}'],
}
let server: Server
let hubUrl: string
before(async () => {
  server = createServer({ keepAliveTimeout: 0 }, (request, response) => {
    const [status, body] = RESPONSES[String(request.headers['x-api-key'])] ?? [500, '']
    response.writeHead(request.url === '/api/webhook/check' ? status : 418).end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port }: AddressInfo = Object(server.address())
  hubUrl = `http://127.0.0.1:${port}`
})
after(() => server.close())

const ask = (hubApiKey: string, url = hubUrl) =>
  askHub({ hubUrl: url, hubApiKey }, new AbortController().signal, 300_000)

test('a hub that accepts the key states the registered record types', async () => {
  for (const url of [hubUrl, `${hubUrl}/api/webhook/receive`]) {
    const answer = await ask('accepted', url)
    assert.ok(answer.outcome === 'accepted')
    assert.deepEqual([...answer.recordTypes], ['people'])
  }
})

test('the reason of a failure names the URL and what responded', async () => {
  const reasonOf = async (key: string, url?: string) => {
    const answer = await ask(key, url)
    return answer.outcome === 'failed' ? answer.reason.replaceAll(hubUrl, 'HUB') : answer.outcome
  }
  const url = 'HUB/api/webhook/check'
  assert.equal(await reasonOf('unknown'), `${url}: HTTP 401: Invalid API key.`)
  assert.equal(await reasonOf('page'), `${url}: HTTP 404, not from a hub`)
  assert.equal(await reasonOf('other'), `${url}: the response is not from a hub`)
  assert.equal(await reasonOf('failure'), `${url}: the response is not from a hub`)
  assert.match(await reasonOf('any', 'http://127.0.0.1:2'), /^http:\S+: .*ECONNREFUSED/)
  assert.match(await reasonOf('any', 'hub.example.org'), /is not an http address/)
})
