/** The integration guide and the API reference. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { GuideResponse } from '@recordhub/protocol'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { readGuide } from '../../src/features/guide/fill-guide.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub } from '../helpers/hub/hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import type { RegisteredPlatform } from '../helpers/operator.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'

describeHub('the integration guide', (hub, engine) => {
  let clinic: RegisteredPlatform
  let school: RegisteredPlatform
  before(async () => {
    const keys = ['ward', 'doctor']
    clinic = await hub.registerPushing({
      modules: [simulatedModule('visit', { keys })],
    })
    school = await hub.registerPushing({ modules: [simulatedModule('pupil')] })
  })
  const instructions = (id: number | string, query = '') =>
    hub.callAs('viewer', 'GET', `/api/v1/platforms/${id}/instructions${query}`)

  test("the guide is Markdown without the placeholder for the hub's address", async () => {
    const response = await hub.get('/api/v1/guide')
    assert.equal(response.status, 200)
    assert.match(response.header('content-type'), /^text\/markdown; charset=utf-8/)
    assert.match(response.header('content-disposition'), /filename="integration-guide\.md"/)
    assert.match(response.text, /^# Integration guide\n/)
    assert.doesNotMatch(response.text, /hub\.example\.org/)
  })

  test('the owner of a platform reads the guide with the hub API key', async () => {
    const url = '/api/webhook/guide'
    const read = await hub.send({ url, headers: { 'x-api-key': clinic.hub_api_key } })
    assert.equal(read.status, 200)
    assert.match(read.header('content-type'), /^text\/markdown; charset=utf-8/)
    assert.equal(read.text, (await instructions(clinic.id)).text)
    const java = await hub.send({
      url: `${url}?language=java`,
      headers: { 'x-api-key': clinic.hub_api_key },
    })
    assert.equal(java.text, (await instructions(clinic.id, '?language=java')).text)
    expectError(await hub.send({ url }), 401, 'api_key_invalid')
  })

  test("a platform's guide has its own modules and fields, nothing of another platform, and no key", async () => {
    const { text, status } = await instructions(clinic.id)
    assert.equal(status, 200)
    for (const own of [clinic.platform.platform_name, '"visit"', '"ward"', 'records/visit']) {
      assert.ok(text.includes(own), own)
    }
    const { platform_name, source_base_url } = school.platform
    const foreign = [platform_name, source_base_url, 'pupil']
    for (const word of [...foreign, clinic.hub_api_key, school.hub_api_key, 'employee"']) {
      assert.ok(!text.includes(word), word)
    }
    assert.doesNotMatch(text, /rhk_\w/)
  })

  test('the guide is returned as JSON with format=json', async () => {
    const json = expectBody(await instructions(clinic.id, '?format=json'), 200, GuideResponse)
    assert.equal(json.platform_name, clinic.platform.platform_name)
    assert.equal(json.file_name, `integration-guide-${clinic.platform.platform_name}.md`)
    assert.equal(json.markdown, (await instructions(clinic.id)).text)
    const general = await hub.get('/api/v1/guide?format=json')
    const { platform_name, first_push } = expectBody(general, 200, GuideResponse)
    assert.deepEqual({ platform_name, first_push }, { platform_name: null, first_push: null })
  })

  test('the guide has the examples of one language, names the others, and has all headings that findings name', async () => {
    const all = readGuide().join('\n')
    const headings = (text: string) => text.match(/^#{2,3} .+$/gm)
    for (const [language, name] of [[null, 'cURL'], ...Object.entries(GUIDE_LANGUAGES)] as const) {
      const query = language === null ? '' : `?language=${language}`
      const { text } = await hub.get(`/api/v1/guide${query}`)
      assert.deepEqual(text.match(/^#### .+$/gm), [`#### ${name}`, `#### ${name}`])
      assert.deepEqual(headings(text), headings(all))
      const [lead = ''] = text.split('\n## ')
      for (const word of Object.keys(GUIDE_LANGUAGES)) {
        const isNamed = lead.includes(`\`${word}\` (`)
        assert.equal(isNamed, word !== (language ?? 'curl'), word)
      }
    }
  })

  test('unknown platforms, unknown formats and unauthenticated requests are rejected', async () => {
    expectError(await instructions(987_654), 404, 'not_found')
    expectError(await instructions('x'), 400, 'invalid_request')
    expectError(await instructions(clinic.id, '?format=html'), 400, 'invalid_request')
    expectError(await instructions(clinic.id, '?language=cobol'), 400, 'invalid_request')
    for (const url of ['/api/v1/guide', `/api/v1/platforms/${clinic.id}/instructions`]) {
      expectError(await hub.send({ url }), 401, 'not_signed_in')
    }
  })

  test('the first push has the public address, the header for tunnels and a module of the platform', async () => {
    const env = {
      HUB_PUBLIC_URL: 'https://records.example.net',
      HUB_TUNNEL_HEADER: 'tunnel-word',
    }
    await using other = await startTestHub(engine, { env })
    const { platform } = await other.registerPushing({
      modules: [simulatedModule('visit')],
    })
    const own = await other.get(`/api/v1/platforms/${platform.id}/instructions?format=json`)
    const { first_push } = expectBody(own, 200, GuideResponse)
    assert.ok(first_push)
    assert.equal(first_push.hub_url, env.HUB_PUBLIC_URL)
    assert.equal(first_push.tunnel_header, env.HUB_TUNNEL_HEADER)
    assert.equal(Object(first_push.record).record_type, 'visit')
  })

  test("the guide uses the hub's settings", async () => {
    const env = {
      HUB_PUBLIC_URL: 'https://records.example.net',
      HUB_PLATFORM_PATH: 'sync',
      HUB_TUNNEL_HEADER: 'tunnel-word',
    }
    await using other = await startTestHub(engine, { env })
    const { text } = await other.get('/api/v1/guide')
    assert.match(text, /https:\/\/records\.example\.net\/api\/webhook\/receive/)
    assert.match(text, /GET \/api\/sync\/ping/)
    assert.match(text, /tunnel-word: true/)
    assert.doesNotMatch(text, /\/api\/hub|ngrok/)
  })
})

describeHub('the API reference', (hub) => {
  test('the page is public, and its policy allows requests to the hub only', async () => {
    const page = await hub.send({ url: '/docs' })
    assert.equal(page.status, 200)
    assert.match(page.header('content-type'), /^text\/html/)
    const policy = page.header('content-security-policy')
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /script-src 'self'(;|$)/)
    assert.match(policy, /connect-src 'self'(;|$)/)
    assert.doesNotMatch(policy, /https?:|\*|unsafe-eval/)
    assert.doesNotMatch(page.text, /<script(?![^>]* src="\/)|https?:\/\//)
  })

  test('the hub serves the script, compressed if the client accepts gzip', async () => {
    const url = '/docs/scalar.js'
    const compressed = await hub.send({ url, headers: { 'accept-encoding': 'gzip, br' } })
    assert.equal(compressed.header('content-encoding'), 'gzip')
    const plain = await hub.send({ url, headers: { 'accept-encoding': 'identity' } })
    assert.equal(plain.status, 200)
    assert.equal(plain.header('content-encoding'), '')
    assert.match(plain.header('content-type'), /^text\/javascript/)
    assert.match(plain.text, /createApiReference/)
  })
})
