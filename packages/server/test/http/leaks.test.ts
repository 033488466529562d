/** Secrets of operators and programs: the hub logs none of them, and stores only hashes and encrypted forms. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { EMAIL, PASSWORD } from '../helpers/hub/hub.ts'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { readTables } from '../helpers/hub/raw-requests.ts'
import { findLeaks } from '../helpers/process/leaks.ts'

const ENV = { HUB_LOG_LEVEL: 'trace', HUB_ACCESS_LOG: 'on' }
const PASSWORD_AGAIN = { password: PASSWORD }
const WRONG_PASSWORD = 'a wrong horse, a wrong battery'

describeHub('secrets of operators', { withOperator: true, env: ENV }, (hub) => {
  test('no password, session, token, link, code or key appears in the log or unprotected in the storage', async () => {
    const rejected = await hub.sendSignIn(EMAIL, WRONG_PASSWORD)
    assert.equal(rejected.status, 401)
    const session = await hub.signIn()
    const { id, hub_api_key } = await hub.registerPushing()
    const post = async (path: string, body: object) => {
      const { status, text } = await hub.callAs(session, 'POST', `/api/v1/${path}`, body)
      assert.ok(status < 300, text)
      return Object(JSON.parse(text))
    }
    const { token } = await post('tokens', { ...PASSWORD_AGAIN, name: 'report', role: 'viewer' })
    const { link } = await post('invitations', {
      ...PASSWORD_AGAIN,
      email: 'bob@example.org',
      role: 'viewer',
    })
    const rotated = await post(`platforms/${id}/hub-key/rotate`, {
      ...PASSWORD_AGAIN,
      grace_seconds: 60,
    })
    const revealed = await post(`platforms/${id}/hub-key/reveal`, { password: PASSWORD })
    const factor = await post('account/second-factor', { password: PASSWORD })
    const [cookie = ''] = session.cookie.split(';')
    const secrets = {
      password: PASSWORD,
      'wrong password': WRONG_PASSWORD,
      'signature of the cookie': decodeURIComponent(cookie).split('.').at(-1),
      'CSRF token': session.csrf,
      'API token': token,
      invitation: tokenOfLink(String(link)),
      'hub API key': hub_api_key,
      'rotated hub API key': rotated['hub_api_key'],
      'secret of the codes': new URL(String(factor['totp_uri'])).searchParams.get('secret'),
      'recovery code': Object(factor['recovery_codes'])[0],
    }
    assert.equal(revealed['hub_api_key'], rotated['hub_api_key'])
    const texts = Object.fromEntries(
      Object.entries(secrets).map(([name, secret]) => [name, String(secret)]),
    )
    for (const [name, secret] of Object.entries(texts)) assert.ok(secret.length >= 10, name)
    const tables = [...(await readTables(hub.storage))]
    const sources = new Map(tables.map(([name, text]) => [name, Buffer.from(text)]))
    sources.set('the log', Buffer.from(hub.log()))
    assert.deepEqual(findLeaks(texts, sources), [])
  })
})
