import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import type { TestContext } from 'node:test'
import { totpCode } from '../helpers/hub/totp.ts'
import type { EngineSandbox } from '../helpers/process/engine.ts'
import { createOperatorClient, signIn } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { OPERATOR, type Sandbox } from '../helpers/process/sandbox.ts'

export const ROTATE = ['secret', 'rotate']
export const secret = () => randomBytes(32).toString('hex')

/** Creates and stops a hub with a platform, an erased record and an operator with a second factor. */
export async function prepareHub(
  t: TestContext,
  { sandbox }: EngineSandbox,
  env: Record<string, string>,
) {
  const hub = await sandbox.startHub({ env })
  const operator = await signIn(hub.address)
  const module = generateModule('person', 3)
  const platform = await startPlatform(t, { name: 'archive', modules: [module] })
  const registered = await operator.registerModules(platform)
  await operator.pullAll()
  const { records } = JSON.parse(await operator.request('GET', '/api/v1/records?sort=record_id'))
  const [{ record_id, reference_number }] = records
  await operator.request('POST', `/api/v1/records/${record_id}/erase`, { mode: 'erase' })
  const { password } = OPERATOR
  const enabled = await operator.request('POST', '/api/v1/account/second-factor', { password })
  const { totp_uri, recovery_codes } = JSON.parse(enabled)
  const code = totpCode(totp_uri)
  await operator.request('POST', '/api/v1/account/second-factor/confirm', { code })
  await hub.stop()
  return {
    ...{ id: registered.platform.id, key: registered.hub_api_key, erased: reference_number },
    ...{ totp_uri, recovery_codes, operator },
  }
}

export type PreparedHub = Awaited<ReturnType<typeof prepareHub>>

/**
 * Signs in with a recovery code and asserts that all secrets still work. The last check also signs in with a
 * code of the authenticator app. Earlier checks send a wrong code, which is also compared with the decrypted
 * secret: only two codes are valid at any time, each works once, and the setup has used one of them.
 */
export async function checkHub(
  sandbox: Sandbox,
  prepared: PreparedHub,
  env: Record<string, string>,
  check: 'an earlier one' | 'the last one',
) {
  const hub = await sandbox.startHub({ env })
  const { id, key, erased, totp_uri, recovery_codes } = prepared
  const withOldSession = await prepared.operator.at(hub.address).call('GET', '/api/v1/platforms')
  const isLast = check === 'the last one'
  const operator = await signInWithCode(hub.address, 'backup-code', recovery_codes[isLast ? 1 : 0])
  if (isLast) await signInWithCode(hub.address, 'totp', totpCode(totp_uri, 1))
  else assert.equal((await sendCode(hub.address, 'totp', '000000')).status, 401)
  const { password } = OPERATOR
  const shown = await operator.request('POST', `/api/v1/platforms/${id}/hub-key/reveal`, {
    password,
  })
  assert.equal(JSON.parse(shown).hub_api_key, key)
  const { tasks } = await operator.pullAll()
  assert.deepEqual(
    tasks.map(({ state, created }) => [state, created]),
    [['succeeded', 0]],
    'the hub decrypts the source key and recognises the erased record',
  )
  const platform = createOperatorClient(hub.address, { 'X-API-KEY': key })
  const push = (reference_number: string) =>
    platform.call('PATCH', '/api/webhook/receive', {
      ...{ record_type: 'person', reference_number, data: {} },
    })
  assert.equal((await push(erased)).status, 410)
  assert.ok((await push('new one')).status < 300)
  await hub.stop()
  return { oldSession: withOldSession.status }
}

export async function sendCode(address: string, kind: 'totp' | 'backup-code', code: string) {
  const send = (path: string, body: object, cookie: string) =>
    fetch(`${address}/api/auth/${path}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', cookie },
      body: JSON.stringify(body),
    })
  const first = await send('sign-in/email', OPERATOR, '')
  assert.equal(first.status, 200)
  return send(`two-factor/verify-${kind}`, { code }, cookiesOf(first))
}

export async function signInWithCode(address: string, kind: 'totp' | 'backup-code', code: string) {
  const second = await sendCode(address, kind, code)
  assert.equal(second.status, 200, await second.text())
  const cookie = cookiesOf(second)
  const session = await fetch(`${address}/api/v1/session`, { headers: { cookie } })
  const { csrf_token } = JSON.parse(await session.text())
  return createOperatorClient(address, { cookie, 'X-CSRF-TOKEN': csrf_token })
}

export function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}
