/** The entries of the audit log, and its export as a file. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, startTestHub } from '../helpers/hub/hub.ts'
import { expectError, expectObject } from '../helpers/hub/response.ts'

const EXPORT = '/api/v1/audit/export'

describeHub('the audit log', { withOperator: true }, (hub, engine) => {
  test('a sign-in is recorded with its method, and a sign-out once', async () => {
    const { headers } = await hub.signIn()
    const sent = { ...headers, 'user-agent': 'Example/1.0' }
    const request = {
      method: 'POST',
      url: '/api/auth/sign-out',
      headers: sent,
      body: {},
    } as const
    assert.equal((await hub.send(request)).status, 200)
    const [signOut, begin] = await hub.audit(`&actor=${EMAIL}`)
    assert.deepEqual(
      [
        signOut?.['action'],
        signOut?.['address'],
        begin?.['action'],
        Object(begin?.['details']).method,
      ],
      ['session.sign_out', '127.0.0.1', 'session.begin', 'password'],
    )
    expectError(await hub.send(request), 419, 'session_or_token_invalid')
    assert.equal((await hub.audit('&action=session.sign_out')).length, 1)
    assert.deepEqual(await hub.audit(`&group=sign_in&actor=${EMAIL}`), [signOut, begin])
    assert.deepEqual(await hub.audit(`&group=pulls&actor=${EMAIL}`), [])
  })

  test('pull starts and cancellations are recorded with their actor; rejected ones are not', async () => {
    const { headers } = await hub.signIn()
    const post = (url: string) => hub.callAs({ headers }, 'POST', url)
    const started = await hub.startPull()
    await hub.untilPullEnds(started.id)
    const second = Object(expectObject(await post('/dashboard/pull-all-existing-records'), 202))
    const { id } = second.pull
    const cancelled = (await post(`/api/v1/pulls/${id}/cancel`)).status
    await hub.untilPullEnds(id)
    expectError(await post(`/api/v1/pulls/${id}/cancel`), 409, 'pull_over')
    const starts = await hub.audit('&action=pull.start')
    assert.deepEqual(
      starts.map((entry) => [entry['actor'], entry['target']]),
      [
        [EMAIL, `pull ${id}`],
        ['token 2 (test operator)', `pull ${started.id}`],
      ],
    )
    const cancels = await hub.audit('&action=pull.cancel')
    assert.equal(cancels.length, cancelled === 202 ? 1 : 0)
  })

  test('the log is exported as CSV without formulas or as NDJSON, filtered and at any length', async () => {
    await using own = await startTestHub(engine)
    const formula = '=HYPERLINK("http://evil.example")'
    for (let n = 0; n < 1200; n++) {
      const entry = {
        actor: n === 7 ? formula : 'ann',
        action: 'pull.start' as const,
        target: `t${n}`,
      }
      await own.storage.activity.appendAudit({ ...entry, address: null, details: { n } })
    }
    const csv = await own.get(`${EXPORT}?action=pull.start`)
    assert.equal(csv.status, 200)
    assert.match(csv.header('content-type'), /^text\/csv/)
    assert.match(csv.header('content-disposition'), /^attachment; filename="audit-.*\.csv"$/)
    assert.equal(csv.header('cache-control'), 'no-store')
    const lines = csv.text.trimEnd().split('\r\n')
    assert.equal(lines[0], 'id,at,actor,action,target,address,details')
    assert.equal(lines.length, 1201)
    assert.match(lines[1] ?? '', /,ann,pull\.start,t1199,,"\{""n"":1199\}"$/)
    assert.ok(csv.text.includes(`"'=HYPERLINK(""http`))
    const ndjson = await own.get(`${EXPORT}?format=ndjson&actor=ann&target=t9`)
    const [only] = ndjson.text.trimEnd().split('\n')
    assert.equal(Object(JSON.parse(only ?? '')).target, 't9')
    const exports = await own.audit('&action=audit.export')
    assert.deepEqual(
      exports.map((entry) => Object(entry['details']).format),
      ['ndjson', 'csv'],
    )
  })

  test('the activity is exported with its filters, at any length, by a viewer', async () => {
    await using own = await startTestHub(engine)
    const entry = { level: 'info', kind: 'push.created', platform_name: null } as const
    const details = { n: [1] }
    for (let n = 0; n < 1200; n++) {
      const message = n === 7 ? '=1+1' : `message ${n}`
      await own.storage.activity.appendActivity({ ...entry, details, message })
    }
    const url = '/api/v1/activity/export'
    const headers = { authorization: own.authorization('viewer') }
    const csv = await own.send({ url: `${url}?kind=push`, headers })
    assert.equal(csv.status, 200)
    assert.match(csv.header('content-disposition'), /^attachment; filename="activity-.*\.csv"$/)
    const lines = csv.text.trimEnd().split('\r\n')
    assert.equal(lines[0], 'id,at,level,kind,platform_name,record_id,actor,message,details')
    assert.equal(lines.length, 1201)
    assert.match(lines[1] ?? '', /,info,push\.created,,,,message 1199,"\{""n"":\[1\]\}"$/)
    assert.ok(csv.text.includes(",'=1+1,"))
    const ndjson = await own.send({
      url: `${url}?format=ndjson&q=${encodeURIComponent('=1+1')}`,
      headers,
    })
    assert.equal(Object(JSON.parse(ndjson.text)).message, '=1+1')
    const exports = await own.audit('&action=activity.export')
    assert.deepEqual(
      exports.map((one) => one['details']),
      [
        { format: 'ndjson', q: '=1+1' },
        { format: 'csv', kind: 'push' },
      ],
    )
  })

  test('time filters accept any time zone and leap seconds', async () => {
    await using own = await startTestHub(engine)
    const entry = { actor: 'ann', action: 'pull.start', target: null, address: null } as const
    await own.storage.activity.appendAudit(entry)
    assert.equal((await own.audit('&action=pull.start&from=2016-12-31T23:59:60Z')).length, 1)
    assert.equal(
      (await own.audit('&action=pull.start&until=2016-12-31T23:59:59%2B02:00')).length,
      0,
    )
  })
})
