/** Responses split into several pages by Link headers (RFC 8288). */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { addPulledPlatform, startPulledHub } from '../helpers/hub/pulled-hub.ts'
import {
  type Responder,
  respond,
  simulatedRecord,
  simulatePlatform,
} from '../helpers/platform/platform.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { rounds } from '../helpers/time/tier.ts'

const json = 'application/json'
const [one, two, three] = [simulatedRecord(1), simulatedRecord(2), simulatedRecord(3)]

/** A first page with `R-1` and the given Link header. */
function linking(link: string): Responder {
  return respond.text(JSON.stringify({ records: [one] }), json, { Link: link })
}

const NEXT = linking('<?page=2>; rel=next')

/** The second page, the expected error of the task, and the records that are stored. */
const INVALID: readonly (readonly [string, Responder, RegExp, string[]])[] = [
  ['returns 500', respond.status(500), /^Page 2: .*HTTP 500/, ['R-1']],
  [
    'is cut off',
    respond.truncated(`{"records":[${JSON.stringify(two)},`),
    /^Page 2: .*cut off/,
    ['R-1', 'R-2'],
  ],
  [
    'has another platform_name',
    respond.json({ platform_name: 'other', records: [two] }),
    /^Page 2: .*"other"/,
    ['R-1'],
  ],
  ['redirects', respond.redirect('http://127.0.0.1:9/'), /^Page 2: .*redirect/, ['R-1']],
  [
    'links back to the first page',
    respond.text(JSON.stringify({ records: [two] }), json, { Link: '<?>; rel=next' }),
    /^Page 3: .*already read/,
    ['R-1', 'R-2'],
  ],
  ['is HTML', respond.html(), /^Page 2: .*HTML/, ['R-1']],
  ['is a JSON array', respond.json([two]), /^Page 2: .*not an object/, ['R-1']],
  ['has "success": false', respond.json({ success: false, records: [two] }), /^Page 2: /, ['R-1']],
  [
    'links to itself',
    respond.text(JSON.stringify({ records: [two] }), json, { Link: '<?page=2#x>; rel=next' }),
    /^Page 3: .*already read/,
    ['R-1', 'R-2'],
  ],
]

describeHub('paged responses', (hub, engine) => {
  test('all pages are requested with the key, and the total covers all of them', async () => {
    await using kit = await addPulledPlatform(hub)
    kit.platform.setResponse('records/cases', respond.pages([one], [two], [three]))
    const task = await kit.pull()
    assert.deepEqual([task.state, task.total, task.received], ['succeeded', 3, 3])
    assert.match(only(task.warnings), /lacks the members/)
    assert.deepEqual(await kit.references(), ['R-1', 'R-2', 'R-3'])
    const requests = kit.platform.listRecordsRequests()
    const paths = ['', '?page=2', '?page=3'].map((query) => `/api/hub/records/cases${query}`)
    assert.deepEqual(
      requests.map(({ path }) => path),
      paths,
    )
    for (const { headers } of requests) {
      assert.equal(headers['x-platform-api-key'], kit.platform.source_api_key)
      assert.equal(headers.accept, json)
      assert.equal(headers['ngrok-skip-browser-warning'], 'true')
    }
  })

  test('a warning names the members that a later page lacks; the total of one page is enough', async () => {
    await using kit = await addPulledPlatform(hub)
    const incomplete = { success: true, record_type: 'cases' }
    const complete = { ...incomplete, platform_name: kit.platform.platform_name }
    for (const [last, warnings] of [
      [complete, []],
      [incomplete, [/the member "platform_name",/]],
    ] as const) {
      kit.platform.queueResponses(
        'records/cases',
        respond.text(JSON.stringify({ ...complete, total: 2, records: [one] }), json, {
          Link: '<?page=2>; rel=next',
        }),
        respond.json({ ...last, records: [two] }),
      )
      const task = await kit.pull()
      assert.equal(task.warnings.length, warnings.length, task.warnings.join())
      for (const [index, warning] of warnings.entries()) {
        assert.match(task.warnings[index] ?? '', warning)
      }
    }
  })

  test('however many pages cause a warning, the task has a limited number of them', async () => {
    await using kit = await addPulledPlatform(hub)
    const pages = Array.from({ length: 25 }, (_, number) => number + 1)
    const responders = pages.map((page) => {
      const { platform_name } = kit.platform
      const members = { success: true, platform_name, record_type: 'cases', total: pages.length }
      const body = JSON.stringify({ ...members, records: [simulatedRecord(page)] })
      const link: Record<string, string> =
        page < pages.length ? { Link: `<?page=${page + 1}>; rel="next"` } : {}
      return respond.text(body, `text/page-${page}`, link)
    })
    kit.platform.queueResponses('records/cases', ...responders)
    const task = await kit.pull()
    assert.deepEqual([task.received, task.warnings.length], [25, 20])
    assert.match(task.warnings[18] ?? '', /text\/page-19\b/)
    assert.match(task.warnings[19] ?? '', /^Further warnings/)
  })

  for (const write of [
    (url: string) => `<${url}>; rel="next"`,
    () => '</api/hub/records/cases?page=2>; rel="prev next"',
    () => '<cases?page=1>; rel="prev"; title="a, \\"b\\"", <cases?page=2> ; REL=NEXT',
  ]) {
    test(`the Link header ${write('http://…/cases?page=2')} is followed`, async () => {
      await using kit = await addPulledPlatform(hub)
      const url = `${kit.platform.source_base_url}/api/hub/records/cases?page=2`
      kit.platform.queueResponses(
        'records/cases',
        linking(write(url)),
        respond.json({ records: [two] }),
      )
      assert.equal((await kit.pull()).state, 'succeeded')
      assert.deepEqual(await kit.references(), ['R-1', 'R-2'])
      assert.equal(kit.platform.listRecordsRequests()[1]?.path, '/api/hub/records/cases?page=2')
    })
  }

  // `pull-faulty-platforms.test.ts` has all kinds of invalid responses, of a single page.
  for (const [what, second, error, stored] of INVALID.slice(0, rounds(5, INVALID.length))) {
    test(`a second page that ${what} fails the task with the page number, and the records before it are stored`, async () => {
      await using kit = await addPulledPlatform(hub)
      kit.platform.queueResponses('records/cases', NEXT, second, respond.status(500))
      const task = await kit.pull()
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', error)
      assert.deepEqual(await kit.references(), stored)
    })
  }

  test('a 503 for the second page retries only that page', async () => {
    await using kit = await addPulledPlatform(hub)
    const busy = respond.status(503)
    kit.platform.queueResponses('records/cases', NEXT, busy, respond.json({ records: [two] }))
    assert.equal((await kit.pull()).state, 'succeeded')
    const queries = kit.platform.listRecordsRequests().map(({ path }) => path.split('?')[1])
    assert.deepEqual(queries, [undefined, 'page=2', 'page=2'])
  })

  test('a link to another origin fails the task, and no request is sent to that origin', async () => {
    await using kit = await addPulledPlatform(hub)
    await using other = await simulatePlatform()
    kit.platform.setResponse('records/cases', linking(`<${other.source_base_url}/>; rel="next"`))
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.ok(task.error?.includes(other.source_base_url), task.error ?? 'no error')
    assert.deepEqual(other.requests, [])
    assert.deepEqual(await kit.references(), ['R-1'])
  })

  for (const [name, recordsOf, total, error, pages] of [
    [
      'the same records without a total',
      () => [one, two],
      null,
      /last 3 pages contain no record/,
      4,
    ],
    ['no records', () => [], null, /last 3 pages contain no record/, 3],
    ['the same rejected record', () => [{ ...one, data: 7 }], null, /last 3 pages/, 4],
    [
      'new records beyond twice the total',
      (page) => [simulatedRecord(page)],
      1,
      /twice its total of 1/,
      3,
    ],
  ] as const satisfies [string, (page: number) => object[], number | null, RegExp, number][]) {
    test(`pages with ${name} that always link to another one end the task`, async () => {
      await using kit = await addPulledPlatform(hub)
      kit.platform.setResponse('records/cases', (response, request) => {
        const page = Number(/page=(\d+)/.exec(request.path)?.[1] ?? 1)
        const body = JSON.stringify({ success: true, total, records: recordsOf(page) })
        const Link = `<?page=${page + 1}>; rel="next"`
        respond.text(body, json, { Link })(response, request)
      })
      const task = await kit.pull()
      assert.equal(task.state, 'failed')
      assert.match(task.error ?? '', error)
      assert.match(task.error ?? '', /send no link with the last page/)
      assert.equal(kit.platform.listRecordsRequests().length, pages)
    })
  }

  test('a last page that links to itself is a warning if the total is reached', async () => {
    await using kit = await addPulledPlatform(hub)
    const { platform_name } = kit.platform
    const page = { success: true, platform_name, record_type: 'cases', total: 2 }
    const last = { Link: '<?page=2>; rel=next' }
    kit.platform.queueResponses(
      'records/cases',
      respond.text(JSON.stringify({ ...page, records: [one] }), json, last),
      respond.text(JSON.stringify({ ...page, records: [two] }), json, last),
    )
    const task = await kit.pull()
    assert.deepEqual([task.state, task.received], ['succeeded', 2])
    assert.match(only(task.warnings), /last page has a link to a page that was already read/)
  })

  test('a task fails after the maximum number of pages, and their records are stored', async () => {
    await using kit = await startPulledHub(engine, { timeouts: { maxPages: 3 } })
    const pages = Array.from({ length: 9 }, (_, index) => [simulatedRecord(index)])
    kit.platform.setResponse('records/cases', respond.pages(...pages))
    const task = await kit.pull()
    assert.equal(task.state, 'failed')
    assert.match(task.error ?? '', /more than 3 pages/)
    assert.equal((await kit.references()).length, 3)
    assert.equal(kit.platform.listRecordsRequests().length, 3)
  })

  test('a duplicate reference number on a later page is rejected', async () => {
    await using kit = await addPulledPlatform(hub)
    const again = simulatedRecord(1, { status: 'again' })
    kit.platform.setResponse('records/cases', respond.pages([one, two], [again, three]))
    const task = await kit.pull()
    assert.deepEqual([task.state, task.created, task.rejected], ['succeeded', 3, 1])
    assert.deepEqual((await kit.records())[0]?.data, one?.data)
    const { code, message } = only(await kit.rejected())
    assert.equal(code, 'duplicate_reference')
    assert.match(message, /at position 1; this one is at position 3/)
    const second = await kit.pull()
    assert.deepEqual([second.unchanged, second.updated, second.rejected], [3, 0, 1])
  })

  test('a total that differs from the records on all pages adds a warning', async () => {
    await using kit = await addPulledPlatform(hub)
    const last = respond.json({ total: 5, records: [two] })
    kit.platform.queueResponses('records/cases', NEXT, last)
    const task = await kit.pull()
    assert.equal(task.state, 'succeeded')
    const [differs, lacks, ...others] = task.warnings
    assert.match(differs ?? '', /total of 5, but .* 2/)
    assert.match(lacks ?? '', /"total"/)
    assert.deepEqual(others, [])
  })

  test('the pages after an empty page are read', async () => {
    await using kit = await addPulledPlatform(hub)
    kit.platform.setResponse('records/cases', respond.pages([one], [], [two], []))
    assert.equal((await kit.pull()).state, 'succeeded')
    assert.deepEqual(await kit.references(), ['R-1', 'R-2'])
  })
})
