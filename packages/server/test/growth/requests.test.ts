/** Requests: no path, query, header or body costs more than in proportion to its size. */
import { before, test } from 'node:test'
import { type Operation, readOperations } from '../fuzz/routes.ts'
import { untilIndexed } from '../fuzz/two-hubs.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import type { TestPlatform } from '../helpers/hub/platform-requests.ts'
import { isDeep, rounds } from '../helpers/time/tier.ts'
import { TEXTS, VALUES } from './families.ts'
import { expectLinear, type Interface } from './growth.ts'

/** Node.js accepts 16 KiB for the request line and the headers. */
const HEAD_SIZE = 2 ** 14
const BODY_SIZE = rounds(2 ** 15, 2 ** 16)

/** Every header that the hub, or a library that it uses, reads. */
const HEADERS = [
  ...['accept', 'accept-encoding', 'authorization', 'content-encoding', 'content-type', 'cookie'],
  ...['host', 'if-none-match', 'if-modified-since', 'last-event-id', 'origin', 'range', 'referer'],
  ...['traceparent', 'user-agent', 'x-api-key', 'x-backup-passphrase', 'x-forwarded-for'],
  ...['x-forwarded-host', 'x-forwarded-proto', 'x-request-id', 'x-requested-with'],
  ...['x-setup-token', 'x-upload-offset', 'x-upload-size'],
]
/** Responses that do not end. */
const STREAMS = /\/events$/
/** Would end the session of the test, or take a backup with each try. */
const EXCLUDED = /\/sign-out|\/api\/v1\/backups$/

describeHub('the cost of a request', { withOperator: true }, (hub) => {
  let operations: Operation[] = []
  let sessionCookie = ''
  before(async () => {
    await hub.registerPushing()
    operations = (await readOperations(hub)).filter(
      ({ path }) => !STREAMS.test(path) && !EXCLUDED.test(path),
    )
    sessionCookie = (await hub.signIn()).headers['cookie'] ?? ''
  })

  const asAdmin = () => ({ authorization: hub.authorization('admin') })
  const operationsOf = (isWanted: (one: Operation) => boolean) => operations.filter(isWanted)

  test('grows with the length of its path', (t) =>
    expectLinear(
      t,
      [
        ...['/a', '/api/', '/api/v1/', '/api/auth/', '/assets/', '/docs/', '/invitation/'].map(
          (prefix) => ({
            name: `GET ${prefix}…`,
            size: HEAD_SIZE,
            use: (text: string) => hub.send({ url: prefix + toPath(text) }),
          }),
        ),
        ...operationsOf(({ path }) => path.includes('{')).map(({ method, path }) => ({
          name: `${method} ${path}`,
          size: HEAD_SIZE,
          use: (text: string) =>
            hub.send({
              method,
              url: path.replaceAll(/\{\w+\}/g, toSegment(text)),
              headers: asAdmin(),
            }),
        })),
      ].filter(isSampled),
      TEXTS,
    ))

  test('grows with the length of a query parameter', (t) =>
    expectLinear(
      t,
      operationsOf(({ method }) => method === 'GET')
        .flatMap(({ path, query }) =>
          [...query.map(({ name }) => name), ...(path.includes('records') ? FILTERS : [])].map(
            (name) => ({
              name: `GET ${path}?${name}`,
              size: HEAD_SIZE,
              use: (text: string) =>
                hub.send({
                  url: `${path.replaceAll(/\{\w+\}/g, '1')}?${new URLSearchParams([[name, text]])}`,
                  headers: asAdmin(),
                }),
            }),
          ),
        )
        .filter(isSampled),
      TEXTS,
    ))

  test('grows with the length of a header', (t) =>
    expectLinear(
      t,
      HEADERS.map((name) => ({
        name: `the header ${name}`,
        size: HEAD_SIZE,
        use: (text: string) =>
          hub.send({
            method: 'POST',
            url: '/api/v1/platforms/probe',
            headers: { ...asAdmin(), cookie: sessionCookie, [name]: toHeader(text) },
            body: '{}',
          }),
      })).filter(isSampled),
      TEXTS,
    ))

  test('grows with the length of a cookie', (t) =>
    expectLinear(
      t,
      sessionCookie.split('; ').map((cookie) => ({
        name: `the cookie ${cookie.split('=')[0]}`,
        size: HEAD_SIZE,
        use: (text: string) =>
          hub.send({
            url: '/api/v1/account',
            headers: { cookie: `${cookie.split('=')[0]}=${toHeader(text)}` },
          }),
      })),
      TEXTS,
    ))

  test('grows with the length of its body, and of each text in it', (t) =>
    expectLinear(
      t,
      operationsOf(({ body }) => body !== null)
        .flatMap(({ method, path, body }): Interface[] => {
          const send = (text: string) =>
            hub.send({
              method,
              url: path.replaceAll(/\{\w+\}/g, '1'),
              headers: { ...asAdmin(), 'x-api-key': 'unknown', 'content-type': 'application/json' },
              body: text,
            })
          const names = Object.keys(Object(body?.['properties']))
          return [
            { name: `the body of ${method} ${path}`, size: BODY_SIZE, use: send },
            ...names.map((name) => ({
              name: `${name} of ${method} ${path}`,
              size: BODY_SIZE,
              use: (text: string) => send(`{${JSON.stringify(name)}:${text}}`),
            })),
          ]
        })
        .filter(isSampled),
      VALUES,
    ))
})

describeHub('the cost of a push', (hub) => {
  let platform: TestPlatform
  before(async () => {
    platform = await hub.registerPushing()
  })

  test('grows with the length of any value in it', (t) => {
    const members = {
      module_name: '"Module cases"',
      record_type: '"cases"',
      reference_number: '"R-1"',
      full_name: '"A"',
      data: '{}',
    }
    const pushWith = (method: 'post' | 'patch', overrides: object) => {
      const entries = Object.entries({ ...members, ...overrides })
      return platform[method](`{${entries.map(([name, text]) => `"${name}":${text}`).join()}}`)
    }
    return expectLinear(
      t,
      [
        ...Object.keys(members).map((name) => ({
          name: `${name} of a push`,
          size: BODY_SIZE,
          use: (text: string) => pushWith('post', { [name]: text }),
        })),
        {
          name: 'a value of a pushed record',
          size: BODY_SIZE,
          use: async (text: string) => {
            await pushWith('post', { data: `{"value":${text}}` })
            await pushWith('patch', { data: '{"other":1}' })
            await untilIndexed([hub])
          },
        },
      ],
      VALUES,
    )
  })

  test('with more keys than a record may have is not that of parsing them', (t) =>
    expectLinear(
      t,
      [
        {
          name: 'the keys of a pushed record',
          size: 2 ** 20,
          use: (text: string) =>
            platform.post(
              `{"module_name":"M","record_type":"cases","reference_number":"R-1","full_name":"A","data":{${text}}}`,
            ),
        },
      ],
      [{ name: 'many keys', make: (size) => manyKeys(size / KEY_BYTES) }],
    ))
})

const KEY_BYTES = 14
const manyKeys = (count: number) =>
  Array.from({ length: count }, (_, at) => `"key${String(at).padStart(6, '0')}":1`).join()

const FILTERS = [
  'filter[status][contains]',
  'filter[status][starts]',
  'filter[hub_full_name][contains]',
  'filter[a.b[].c][in]',
  'fields',
]

/** The quick tier tries some of the interfaces, those of all kinds. */
function isSampled(_: unknown, index: number): boolean {
  return isDeep || index % 60 === 0
}

/** What an HTTP client can send in a path: Node.js rejects spaces and control characters. */
function toPath(text: string): string {
  return text.toWellFormed().replaceAll(/[^!-~]/gu, (one) => encodeURIComponent(one))
}

function toSegment(text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

/** What an HTTP client can send as a header: Node.js rejects control characters. */
function toHeader(text: string): string {
  return Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '?')
}
