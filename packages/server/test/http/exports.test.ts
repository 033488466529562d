/** Exporting records as a file. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { before, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { RecordPage } from '@recordhub/protocol'
import { errorCodeOf } from '../../src/lib/files/error-code.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { startTestHub, type TestHubOptions } from '../helpers/hub/hub.ts'
import { expectBody, expectError } from '../helpers/hub/response.ts'
import { openXlsx } from '../helpers/hub/xlsx-file.ts'
import { simulatedModule } from '../helpers/platform/platform.ts'

const HUB_COLUMNS = [
  ...['hub_record_id', 'hub_platform_name', 'hub_module_name', 'hub_record_type'],
  ...['hub_reference_number', 'hub_full_name', 'hub_incomplete', 'hub_missing_since'],
  ...['hub_created_at', 'hub_updated_at'],
]
const body = (reference: string, data: string, values: Record<string, string> = {}) => {
  const names = { record_type: 'cases', reference_number: reference, full_name: 'Ann', ...values }
  return `${JSON.stringify({ module_name: 'm', ...names }).slice(0, -1)},"data":${data}}`
}

/** Of an export that must end within milliseconds. */
const MAX_READS = 20_000

/** Runs between the first and the second chunk of an export. */
const interruption: { run: (() => Promise<unknown>) | null } = { run: null }
const INTERRUPTED: TestHubOptions = {
  wrap: (storage) => ({
    ...storage,
    records: {
      ...storage.records,
      async listRecords(query) {
        const { run } = interruption
        if (query.after !== null && run) {
          interruption.run = null
          await run()
        }
        return storage.records.listRecords(query)
      },
    },
  }),
}

describeHub('exports', INTERRUPTED, (hub, engine) => {
  let platform = ''
  before(async () => {
    const modules = [
      simulatedModule('cases', {
        keys: ['status', 'reference_number', 'amount', 'hub_full_name', 'a,b'],
      }),
      simulatedModule('people', { keys: ['status', 'age'] }),
    ]
    const registered = await hub.registerPushing({ modules })
    platform = registered.platform_name
    const key = registered.hub_api_key
    for (const recordJson of [
      body('r-2', '{"status":"=1+1","amount":9007199254740993,"extra":[1.10]}'),
      body('r-1', '{"status":"a,\\"b\\"\\r\\nc","reference_number":"own","amount":-5}'),
      body('r-3', '{"amount":1.10,"status":null,"hub_full_name":"theirs"}', { full_name: '+王' }),
      body('p-1', '{"age":true,"status":"-7"}', { record_type: 'people' }),
    ]) {
      const response = await hub.push(key, recordJson)
      assert.equal(response.status, 201, response.text)
    }
  })

  const get = async (query: Record<string, string>, headers: Record<string, string> = {}) => {
    const url = `${hub.address}/api/v1/records/export?${new URLSearchParams(query)}`
    const authorization = hub.authorization('viewer')
    return fetch(url, { headers: { authorization, 'accept-encoding': 'identity', ...headers } })
  }
  const textOf = async (query: Record<string, string>) => {
    const response = await get(query)
    assert.equal(response.status, 200)
    // Response.text() would remove the byte order mark.
    return Buffer.from(await response.arrayBuffer()).toString('utf8')
  }
  const list = async (query: Record<string, string> = {}) => {
    const response = await hub.get(`/api/v1/records?${new URLSearchParams(query)}`)
    return expectBody(response, 200, RecordPage).records
  }

  test("CSV has the hub's columns, the fields in manifest order, and a column for other data", async () => {
    const csv = await textOf({ format: 'csv', platform, record_type: 'cases' })
    const [header = '', ...lines] = csv.replace('a,""b""\r\nc', 'a,""b""|c').split('\r\n')
    const fields = ['status', 'reference_number', 'amount', '"a', 'b"', 'hub_other']
    assert.deepEqual(header.split(','), [...HUB_COLUMNS, ...fields])
    const [r1] = await list({ reference_number: 'r-1' })
    assert.ok(r1)
    const { record_id, created_at, updated_at } = r1
    const times = `${created_at},${updated_at}`
    assert.equal(
      lines[0],
      `${record_id},${platform},Module cases,cases,r-1,Ann,false,,${times},"a,""b""|c",own,-5,,`,
    )
    assert.match(lines[1] ?? '', /,'=1\+1,,9007199254740993,,"\{""extra"":\[1\.10\]\}"$/)
    assert.match(lines[2] ?? '', /,'\+王,.*,,,1\.10,,"\{""hub_full_name"":""theirs""\}"$/)
    assert.deepEqual(lines.slice(3), [''])
  })

  test('an export of several modules is one table, sorted by module', async () => {
    const query = { format: 'csv', columns: 'hub_record_type,hub_reference_number,age,status' }
    assert.deepEqual((await textOf({ ...query, platform })).split('\r\n').slice(1), [
      'cases,r-1,,"a,""b""',
      'c"',
      "cases,r-2,,'=1+1",
      'cases,r-3,,',
      'people,p-1,true,-7',
      '',
    ])
  })

  test('an export has the requested columns in their order, with keys or labels as header', async () => {
    const query = { format: 'csv', record_type: 'cases', sort: '-record_id' }
    const chosen = { ...query, columns: 'amount,hub_reference_number,amount' }
    const rows = ['amount,hub_reference_number', '1.10,r-3', '-5,r-1']
    rows.push('9007199254740993,r-2', '')
    assert.equal(await textOf(chosen), rows.join('\r\n'))
    const labelled = await textOf({ ...chosen, header: 'label' })
    assert.match(labelled, /^Label amount,Label reference_number\r\n/)
    const path = await textOf({ ...query, format: 'csv', columns: 'data.extra[],hub_full_name' })
    assert.match(path, /^extra\[\],hub_full_name\r\n.*\r\n.*\r\n\[1\.10\],Ann\r\n$/)
    const url = '/api/v1/records/export?format=csv&columns=a,b&columns=status'
    assert.match((await hub.get(url)).text, /^"a,b",status\r\n/)
    for (const columns of ['nothing', '', 'status,', 'status, amount', 'age', 'a,b']) {
      const query = new URLSearchParams({ format: 'xlsx', record_type: 'cases', columns })
      const rejected = await hub.get(`/api/v1/records/export?${query}`)
      const { errors } = expectError(rejected, 400, 'invalid_request')
      assert.deepEqual(Object.keys(errors ?? {}), ['columns'], columns)
    }
  })

  test('raw=true leaves formulas unescaped, and bom=true adds a byte order mark', async () => {
    const query = { format: 'csv', reference_number: 'r-2', columns: 'status' }
    assert.equal(await textOf(query), "status\r\n'=1+1\r\n")
    assert.equal(await textOf({ ...query, raw: 'true' }), 'status\r\n=1+1\r\n')
    assert.equal(await textOf({ ...query, bom: 'true' }), "\ufeffstatus\r\n'=1+1\r\n")
  })

  test('JSON and NDJSON have the records exactly as the API returns them, with all digits', async () => {
    const json = await textOf({ format: 'json', sort: 'record_id' })
    const page = (await hub.get('/api/v1/records?sort=record_id')).text
    const records = /"records":(\[.*\]),"next_cursor"/s.exec(page)?.[1]
    assert.equal(json, `{"success":true,"records":${records}}\n`)
    const lines = (await textOf({ format: 'ndjson', sort: 'record_id' })).split('\n')
    assert.equal(lines.pop(), '')
    assert.equal(`[${lines.join(',')}]`, records)
    assert.ok(json.includes('9007199254740993') && json.includes('1.10'))
    const none = await textOf({ format: 'json', platform: 'nowhere' })
    assert.deepEqual(JSON.parse(none), { success: true, records: [] })
  })

  test('XLSX has numbers as numbers, and formulas as text', async () => {
    const response = await get({ format: 'xlsx', record_type: 'cases' })
    assert.match(response.headers.get('content-type') ?? '', /spreadsheetml/)
    const sheets = await openXlsx(Buffer.from(await response.arrayBuffer()))
    const [header, ...rows] = sheets.get('Records') ?? []
    assert.deepEqual(header, [
      ...HUB_COLUMNS,
      ...['status', 'reference_number', 'amount', 'a,b', 'hub_other'],
    ])
    assert.deepEqual(
      rows.map((row) => row.slice(4).filter((_, index) => index < 2 || index > 5)),
      [
        ['r-1', 'Ann', 'a,"b"\r\nc', 'own', { number: '-5' }, null, null],
        ['r-2', 'Ann', '=1+1', null, '9007199254740993', null, '{"extra":[1.10]}'],
        ['r-3', '+王', null, null, { number: '1.10' }, null, '{"hub_full_name":"theirs"}'],
      ],
    )
  })

  test('the transfer is compressed if the client accepts gzip, and the file if gzip=true', async () => {
    const query = { format: 'ndjson', platform }
    const plain = await textOf(query)
    const received = await requestBytes(query, { 'accept-encoding': 'gzip, br' })
    assert.equal(received.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(received.body).toString(), plain)
    const uncompressed = await requestBytes(query, { 'accept-encoding': 'gzip;q=0, identity' })
    assert.equal(uncompressed.headers['content-encoding'], undefined)
    assert.equal(uncompressed.body.toString(), plain)
    const file = await get({ ...query, gzip: 'true' })
    assert.equal(file.headers.get('content-encoding'), null)
    assert.match(
      file.headers.get('content-disposition') ?? '',
      /filename="recordhub-[^"]+\.ndjson\.gz"/,
    )
    assert.equal(gunzipSync(Buffer.from(await file.arrayBuffer())).toString(), plain)
  })

  test('the audit log records the actor, format, platform and columns of an export', async () => {
    await textOf({ format: 'csv', platform, columns: 'status' })
    const [entry] =
      await hub.sql(`SELECT actor, action, target, details FROM audit WHERE action = 'records.export'
         ORDER BY audit_id DESC LIMIT 1`)
    assert.match(String(entry?.['actor']), /^token \d+ \(test viewer\)$/)
    assert.equal(entry?.['target'], platform)
    const details = { format: 'csv', platform, columns: 'status' }
    assert.deepEqual(JSON.parse(String(entry?.['details'])), details)
  })

  test('the audit entry of an export names its filters but not the search texts', async () => {
    const searches = { q: 'Ann Unmistakable', 'filter[status][contains]': 'Unmistakable' }
    await textOf({ format: 'csv', platform, reference_number: 'R-Unmistakable', ...searches })
    const [entry] = await hub.sql(
      `SELECT details FROM audit WHERE action = 'records.export' ORDER BY audit_id DESC LIMIT 1`,
    )
    assert.deepEqual(JSON.parse(String(entry?.['details'])), {
      format: 'csv',
      platform,
      reference_number: '…',
      q: '…',
      'filter[status][contains]': '…',
    })
  })

  test('an export has exactly the rows of the list, for each filter and sort', async () => {
    await hub.untilIndexed()
    const queries: Record<string, string>[] = [
      { 'filter[status][contains]': 'B' },
      { 'filter[amount][after]': '1', platform },
      { 'filter[hub_full_name][contains]': 'ann', record_type: 'cases', sort: '-data.amount' },
      { q: 'ann' },
      { q: 'theirs', sort: 'full_name' },
      { q: 'nowhere' },
      { incomplete: 'false', 'filter[status][empty]': 'true', sort: 'data.status' },
      { sort: '-data.amount' },
    ]
    const counts: number[] = []
    for (const query of queries) {
      const lines = (await textOf({ format: 'ndjson', ...query })).split('\n').slice(0, -1)
      const records = await list(query)
      const key = 'reference_number'
      const exported = lines.map((line) => String(JSON.parse(line)[key]))
      const expected = records.map((record) => record[key])
      if (query['sort'] === undefined) for (const list of [exported, expected]) list.sort()
      assert.deepEqual(exported, expected, JSON.stringify(query))
      counts.push(lines.length)
      const { records: jsonRecords } = JSON.parse(await textOf({ format: 'json', ...query }))
      assert.equal(jsonRecords.length, lines.length)
    }
    assert.deepEqual(counts, [1, 2, 2, 3, 1, 0, 1, 4])
  })

  test('a slow export completes, and a sort that would take too long is rejected beforehand', async () => {
    await using slowHub = await startTestHub(engine, {
      wrap: (storage) => ({
        ...storage,
        records: {
          ...storage.records,
          listRecords: (query) => storage.records.listRecords({ ...query, scan_ms: 0 }),
        },
      }),
    })
    const { post } = await slowHub.registerPushing()
    const pushes = Array.from({ length: 450 }, (_, n) =>
      post(body(`r-${n}`, `{"status":"${n === 7 ? 'one' : 'other'}"}`)),
    )
    await Promise.all(pushes)
    const url = '/api/v1/records/export?format='
    const filtered = await slowHub.get(`${url}json&filter[status]=one&filter[amount][empty]=true`)
    const { records } = JSON.parse(filtered.text)
    assert.deepEqual([records.length, records[0].reference_number], [1, 'r-7'])
    const rejected = await slowHub.get(`${url}csv&sort=data.status`)
    expectError(rejected, 422, 'sort_too_slow')
    assert.equal(rejected.header('content-disposition'), '')
  })

  test('an export breaks off when its platform is removed, and keeps its order when a field gets another type', async () => {
    const pushMany = async () => {
      const registered = await hub.registerPushing({ modules: [simulatedModule('many')] })
      const values = { record_type: 'many' }
      const pushes = Array.from({ length: 20 }, (_, n) =>
        hub.push(registered.hub_api_key, body(`m-${n}`, '{}', values)),
      )
      await Promise.all(pushes)
      return registered
    }
    await pushMany()
    const query = { record_type: 'many', sort: 'data.status' }
    const fields = [{ key: 'status', label: 'S', type: 'number', required: false }]
    const modules = [{ ...simulatedModule('many'), fields }]
    interruption.run = () => hub.registerPushing({ modules })
    const lines = (await textOf({ format: 'ndjson', ...query })).split('\n')
    assert.equal(interruption.run, null)
    assert.equal(lines.length, 21)

    for (const [query, line] of [
      [{ format: 'csv' }, 'HTTP/1.1'],
      [{ format: 'csv' }, 'HTTP/1.0'],
      [{ format: 'xlsx', sort: '-data.status' }, 'HTTP/1.0'],
      [{ format: 'ndjson', 'filter[status][empty]': 'true' }, 'HTTP/1.0'],
      [{ format: 'json', sort: 'full_name' }, 'HTTP/1.1'],
      [{ format: 'json', gzip: 'true' }, 'HTTP/1.0'],
    ] satisfies [Record<string, string>, string][]) {
      const { id, platform_name } = await pushMany()
      interruption.run = () =>
        hub.callAs('operator', 'DELETE', `/api/v1/platforms/${id}`, { platform_name })
      const parameters = new URLSearchParams({ ...query, platform: platform_name })
      const request = `GET /api/v1/records/export?${parameters} ${line}`
      assert.equal(await endOf(request), 'broken off', request)
      assert.equal(interruption.run, null)
    }
  })

  test('an export requires a session or token, and HEAD writes no file', async () => {
    const url = '/api/v1/records/export?format=csv'
    expectError(await hub.send({ url }), 401, 'not_signed_in')
    const authorization = hub.authorization('viewer')
    const head = await hub.send({ method: 'HEAD', url, headers: { authorization } })
    assert.ok(head.status >= 400)
  })

  test('an export stops when its client disconnects', async () => {
    let reads = 0
    await using own = await startTestHub(engine, {
      wrap: (storage) => ({
        ...storage,
        records: {
          ...storage.records,
          listRecords(query) {
            reads += 1
            return storage.records.listRecords(query)
          },
        },
      }),
    })
    const { post } = await own.registerPushing()
    const large = `{"status":"${'x'.repeat(300_000)}"}`
    const pushes = Array.from({ length: 120 }, (_, n) => post(body(`r-${n}`, large)))
    await Promise.all(pushes)
    const authorization = own.authorization('viewer')
    const url = `${own.address}/api/v1/records/export?format=ndjson`
    const sent = httpRequest(url, { headers: { authorization } }).end()
    const [response] = await once(sent, 'response')
    await once(response, 'data')
    sent.destroy()
    await own.stop()
    assert.ok(reads < 60, `${reads} chunks were read`)
  })

  test('an export breaks off when its token or session ends, or its operator is removed', async () => {
    await using own = await startTestHub(engine, {
      intervals: { heartbeat: 5 },
      // Each chunk is followed by another one, so that only the end of the access ends an export.
      wrap: (storage) => ({
        ...storage,
        records: {
          ...storage.records,
          async listRecords(query) {
            const page = await storage.records.listRecords(query)
            return page.outcome !== 'listed' ? page : { ...page, has_more: true }
          },
        },
      }),
    })
    const { post } = await own.registerPushing()
    await post(body('r-1', '{}'))
    const removed = await own.createOperator()
    const ofRemoved = await own.signIn(removed.email)
    const { email } = await own.createOperator()
    const [admin, signedIn] = [await own.signIn(email), await own.signIn(email)]
    const revoke = "UPDATE api_tokens SET revoked_at = '2026-01-01T00:00:00.000Z'"
    for (const [headers, end] of [
      [{ authorization: own.authorization('viewer') }, () => own.sql(revoke)],
      [signedIn.headers, () => own.callAs(signedIn, 'POST', '/api/auth/sign-out', {})],
      [ofRemoved.headers, () => own.callAs(admin, 'DELETE', `/api/v1/operators/${removed.id}`)],
    ] as const) {
      const response = await fetch(`${own.address}/api/v1/records/export?format=ndjson`, {
        headers: { ...headers, 'accept-encoding': 'identity' },
      })
      assert.equal(response.status, 200)
      const reader = response.body?.getReader()
      await reader?.read()
      await end()
      await assert.rejects(async () => {
        for (let count = 0; count < MAX_READS; count += 1) if ((await reader?.read())?.done) return
      }, /terminated/)
    }
  })

  /**
   * How a response ends: `closed` if it looks complete, `broken off` if the client gets an error in place of the file, or a
   * reset of the connection in its middle.
   */
  async function endOf(requestLine: string): Promise<string> {
    const { port, hostname } = new URL(hub.address)
    const socket = connect(Number(port), hostname)
    const authorization = hub.authorization('viewer')
    socket.write(
      `${requestLine}\r\nHost: hub\r\nConnection: close\r\nAuthorization: ${authorization}\r\n\r\n`,
    )
    const response: Buffer[] = []
    socket.on('data', (chunk: Buffer) => response.push(chunk))
    return new Promise((resolve) => {
      socket.once('end', () => {
        const isError = Buffer.concat(response).toString('latin1').startsWith('HTTP/1.1 409 ')
        resolve(isError ? 'broken off' : 'closed')
      })
      socket.once('error', (error) =>
        resolve(errorCodeOf(error) === 'ECONNRESET' ? 'broken off' : 'failed'),
      )
    })
  }

  async function requestBytes(query: Record<string, string>, headers: Record<string, string>) {
    const url = `${hub.address}/api/v1/records/export?${new URLSearchParams(query)}`
    const authorization = hub.authorization('viewer')
    const sent = httpRequest(url, { headers: { authorization, ...headers } }).end()
    const [response] = await once(sent, 'response')
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk)
    return { headers: response.headers, body: Buffer.concat(chunks) }
  }
})
