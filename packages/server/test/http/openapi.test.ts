/** The OpenAPI document, compared with the existing routes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import { ACCESS } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { expectObject } from '../helpers/hub/response.ts'

/** Pages, files and the document itself, which are not API operations. */
const PAGES = new Set([
  ...[
    'GET /',
    'GET /assets/*',
    'GET /downloads/*',
    'GET /sign-in',
    'GET /setup',
    'GET /invitation',
  ],
  ...['GET /dashboard', 'GET /dashboard/*'],
  ...['GET /api/openapi.json', 'GET /docs', 'GET /docs/scalar.js'],
])
const METHODS = ['get', 'post', 'put', 'patch', 'delete']

describeHub('the OpenAPI document', (hub) => {
  const operations = new Map<string, JsonObject>()
  before(async () => {
    const { paths } = expectObject(await hub.send({ url: '/api/openapi.json' }), 200)
    for (const [path, item] of Object.entries(Object(paths))) {
      for (const [method, operation] of Object.entries(Object(item))) {
        if (!METHODS.includes(method) || !isJsonObject(operation)) continue
        const url = path.replaceAll(/\{(\w+)\}/g, ':$1')
        operations.set(`${method.toUpperCase()} ${url}`, operation)
      }
    }
  })

  test('the document has every route and nothing else', () => {
    const routes = Object.keys(ACCESS).filter((route) => !PAGES.has(route))
    assert.deepEqual([...operations.keys()].toSorted(), routes.toSorted())
  })

  test('each operation has a summary, its parameters, its responses and the required role', () => {
    for (const [route, operation] of operations) {
      const { summary, tags, parameters = [], responses, security } = operation
      assert.ok(typeof summary === 'string' && summary.length > 8, `${route} has no summary`)
      assert.ok(Array.isArray(tags) && tags.length === 1, `${route} has no tag`)
      const access = ACCESS[route]
      const schemes = JSON.stringify(security ?? null)
      if (access === 'anyone') assert.equal(schemes, '[]', route)
      else if (access === 'platform') assert.match(schemes, /hubKey/, route)
      else if (access === 'scraper') assert.match(schemes, /metricsToken/, route)
      else {
        assert.match(schemes, /token.*session/, route)
        assert.match(String(operation['description']), new RegExp(`role ${access}\\.`), route)
      }
      assert.ok(Array.isArray(parameters))
      const inPath = parameters.filter(
        (parameter) => isJsonObject(parameter) && parameter['in'] === 'path',
      )
      assert.equal(
        inPath.length,
        route.split(':').length - 1,
        `${route} describes its path parameters`,
      )
      const statuses = Object.keys(Object(responses))
      assert.ok(
        statuses.some((status) => /^2/.test(status)),
        `${route} has no success response`,
      )
      assert.ok(statuses.includes('4XX') && statuses.includes('5XX'), `${route} has no errors`)
    }
  })

  test('every text of a request has a maximum length', () => {
    const unlimited = [...operations].flatMap(([route, { parameters = [], requestBody = {} }]) =>
      findUnlimited([parameters, requestBody], route),
    )
    assert.deepEqual(unlimited, [])
  })

  test('no list of a request must have different items: the errors of that rule take the square of its length', () => {
    for (const [route, { requestBody = {} }] of operations)
      assert.ok(!JSON.stringify(requestBody).includes('uniqueItems'), route)
  })

  test('the export lists the content types of its files', () => {
    const { responses } = operations.get('GET /api/v1/records/export') ?? {}
    const types = Object.keys(Object(Object(responses)['200']).content)
    assert.equal(types.length, 5)
    assert.ok(types.includes('text/csv; charset=utf-8'))
  })
})

/** The texts in a description of a request that may have any length. */
function findUnlimited(described: unknown, path: string): string[] {
  if (typeof described !== 'object' || described === null) return []
  const { type, enum: values, const: value, maxLength } = Object(described)
  const isText = [type].flat().includes('string') && values === undefined && value === undefined
  if (isText && !Number.isInteger(maxLength)) return [path]
  return Object.entries(described).flatMap(([key, member]) => {
    const name = Object(member)['name'] ?? key
    return findUnlimited(member, `${path} ${name}`)
  })
}
