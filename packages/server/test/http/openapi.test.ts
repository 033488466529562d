/** The OpenAPI document, compared with the existing routes. */
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { isJsonObject, type JsonObject } from '@recordhub/protocol/lossless-json'
import { ACCESS } from '../../src/http/access.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { expectDescribed } from '../helpers/hub/described-responses.ts'
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
  let version: unknown
  before(async () => {
    const { openapi, paths } = expectObject(await hub.send({ url: '/api/openapi.json' }), 200)
    version = openapi
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

  test('the document has version 3.1, and a value that may be null and is one of a list has null in the list', () => {
    assert.equal(version, '3.1.1')
    assert.deepEqual(findIncompleteEnums(Object.fromEntries(operations), ''), [])
  })

  test('a response that the document does not describe fails every test', () => {
    const [method, url] = ['PATCH', '/api/v1/schedule']
    const contentType = 'application/json'
    const exchange = { method, url, contentType, status: 200 }
    const schedule = { pattern: null, paused_since: null, paused_by: null, next_run_at: null }
    const body = { success: true, schedule: { ...schedule, paused: false } }
    const text = JSON.stringify(body)
    expectDescribed({ ...exchange, text })
    for (const undescribed of [
      { ...exchange, text, status: 204 },
      { ...exchange, text, contentType: 'text/html' },
      { ...exchange, text: '' },
      { ...exchange, text: JSON.stringify({ ...body, schedule: { ...schedule, paused: null } }) },
      { ...exchange, text: JSON.stringify({ ...body, extra: 1 }) },
    ]) {
      assert.throws(() => expectDescribed(undescribed), /OpenAPI document/)
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

/** The schemas that allow null by their type and not by their list of values, or have the `nullable` of version 3.0. */
function findIncompleteEnums(described: unknown, path: string): string[] {
  if (typeof described !== 'object' || described === null) return []
  const { type, enum: values, nullable } = Object(described)
  const isNullable = [type].flat().includes('null') && Array.isArray(values)
  const isIncomplete = nullable === true || (isNullable && !values.includes(null))
  return [
    ...(isIncomplete ? [path] : []),
    ...Object.entries(described).flatMap(([key, one]) =>
      findIncompleteEnums(one, `${path} ${key}`),
    ),
  ]
}

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
