/** Rotating the secret with the command line, on real databases and with kills in between. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { totpCode } from '../helpers/hub/totp.ts'
import { type EngineSandbox, enginesForTier, postgres, sqlite } from '../helpers/process/engine.ts'
import {
  createOperatorClient,
  pullAndWait,
  registerPlatform,
  sendRequest,
  signIn,
} from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { OPERATOR, type Sandbox, test } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'

const ROTATE = ['secret', 'rotate']
const KILL_MOMENTS_MS = isDeep ? [150, 300, 450, 600, 750, 900, 1050, 1200] : [200, 400]
/** Error when another process of the hub is running, on SQLite or PostgreSQL. */
const STILL_RUNNING = /is running on|Stop all processes of the hub/
const secret = () => randomBytes(32).toString('hex')

/** Creates and stops a hub with a platform, an erased record and an operator with a second factor. */
async function prepareHub(t: TestContext, { sandbox }: EngineSandbox, env: Record<string, string>) {
  const hub = await sandbox.startHub({ env })
  const operator = await signIn(hub.address)
  const module = generateModule('person', 3)
  const platform = await startPlatform(t, { name: 'archive', modules: [module] })
  const registered = await registerPlatform(operator, platform)
  await pullAndWait(operator)
  const { records } = JSON.parse(
    await sendRequest(operator, 'GET', '/api/v1/records?sort=record_id'),
  )
  const [{ record_id, reference_number }] = records
  await sendRequest(operator, 'POST', `/api/v1/records/${record_id}/erase`, { mode: 'erase' })
  const { password } = OPERATOR
  const enabled = await sendRequest(operator, 'POST', '/api/v1/account/second-factor', { password })
  const { totp_uri, recovery_codes } = JSON.parse(enabled)
  const code = totpCode(totp_uri)
  await sendRequest(operator, 'POST', '/api/v1/account/second-factor/confirm', { code })
  await hub.stop()
  return {
    ...{ id: registered.platform.id, key: registered.hub_api_key, erased: reference_number },
    ...{ totp_uri, recovery_codes, operator },
  }
}

type PreparedHub = Awaited<ReturnType<typeof prepareHub>>

/**
 * Signs in with a recovery code and asserts that all secrets still work. The last check also signs in with a
 * code of the authenticator app. Earlier checks send a wrong code, which is also compared with the decrypted
 * secret: only two codes are valid at any time, each works once, and the setup has used one of them.
 */
async function checkHub(
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
  const shown = await sendRequest(operator, 'POST', `/api/v1/platforms/${id}/hub-key/reveal`, {
    password,
  })
  assert.equal(JSON.parse(shown).hub_api_key, key)
  const { tasks } = await pullAndWait(operator)
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

async function sendCode(address: string, kind: 'totp' | 'backup-code', code: string) {
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

async function signInWithCode(address: string, kind: 'totp' | 'backup-code', code: string) {
  const second = await sendCode(address, kind, code)
  assert.equal(second.status, 200, await second.text())
  const cookie = cookiesOf(second)
  const session = await fetch(`${address}/api/v1/session`, { headers: { cookie } })
  const { csrf_token } = JSON.parse(await session.text())
  return createOperatorClient(address, { cookie, 'X-CSRF-TOKEN': csrf_token })
}

function cookiesOf(response: Response): string {
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ')
}

for (const engine of enginesForTier(postgres)) {
  test(`after rotating HUB_SECRET the new secret decrypts everything and the old one nothing (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const [before, after] = [secret(), secret()]
    const old = { HUB_SECRET: before }
    const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
    const prepared = await prepareHub(t, kit, old)

    const running = await sandbox.startHub({ env: both })
    const rejected = await sandbox.run(ROTATE, { env: both })
    assert.equal(rejected.code, 1, 'a rotation is rejected while a hub is running')
    assert.match(rejected.stderr.join(), STILL_RUNNING)
    await running.stop()

    for (const env of [
      { HUB_SECRET: after },
      { HUB_SECRET: after, HUB_SECRET_PREVIOUS: secret() },
    ]) {
      const wrong = await sandbox.run(ROTATE, { env })
      assert.notEqual(wrong.code, 0)
      assert.match(wrong.stderr.join(), /HUB_SECRET/)
      const start = await sandbox.run(['start'], { env })
      assert.equal(start.code, 1)
      assert.match(start.stderr.join(), /HUB_SECRET is not the secret/)
      for (const value of Object.values(env)) {
        assert.ok(!wrong.stderr.concat(start.stderr, start.stdout).join().includes(value))
      }
    }

    const [one, other] = await Promise.all([
      sandbox.run(ROTATE, { env: both }),
      sandbox.run(ROTATE, { env: both }),
    ])
    for (const result of [one, other]) {
      // On PostgreSQL both may detect each other, and then neither changes anything.
      if (result.code !== 0) assert.match(result.stderr.join(), STILL_RUNNING)
    }
    const last = await sandbox.run(ROTATE, { env: both })
    assert.equal(last.code, 0, last.stderr.join())
    const again = await sandbox.run(ROTATE, { env: both })
    assert.equal(again.code, 0)
    assert.match(again.stdout.join(), /were already encrypted with the new secret/)

    const { oldSession } = await checkHub(sandbox, prepared, { HUB_SECRET: after }, 'the last one')
    assert.equal(oldSession, 401)
    const start = await sandbox.run(['start'], { env: old })
    assert.match(start.stderr.join(), /HUB_SECRET is not the secret/)
  })
}

for (const engine of enginesForTier(sqlite)) {
  test(`a killed rotation leaves everything encrypted with either the old or the new secret (${engine.name})`, async (t) => {
    const kit = await engine.createSandbox(t)
    const { sandbox } = kit
    const [before, after] = [secret(), secret()]
    const both = { HUB_SECRET: after, HUB_SECRET_PREVIOUS: before }
    const prepared = await prepareHub(t, kit, { HUB_SECRET: before })
    // Some of these kills happen while the command re-encrypts.
    for (const moment of KILL_MOMENTS_MS) {
      const command = sandbox.spawn(ROTATE, { env: both })
      const timer = setTimeout(() => command.child.kill('SIGKILL'), moment)
      await command.ended
      clearTimeout(timer)
    }
    await checkHub(sandbox, prepared, both, 'an earlier one')
    assert.equal((await sandbox.run(ROTATE, { env: both })).code, 0)
    await checkHub(sandbox, prepared, { HUB_SECRET: after }, 'the last one')
  })
}

test('a rotation of the secret file that was interrupted at any step can be completed', async (t) => {
  const kit = await sqlite.createSandbox(t)
  const { sandbox } = kit
  const prepared = await prepareHub(t, kit, {})
  const path = join(sandbox.folder, 'data', 'recordhub.secret')
  const before = readFileSync(path, 'utf8').trim()

  // Killed after writing the file and before re-encrypting.
  const next = secret()
  writeFileSync(path, `${next}\n${before}\n`)
  await checkHub(sandbox, prepared, {}, 'an earlier one')
  // Completes the rotation.
  const rotated = await sandbox.run(ROTATE)
  assert.equal(rotated.code, 0, rotated.stderr.join())
  assert.equal(readFileSync(path, 'utf8').trim(), next)
  assert.ok(![...rotated.stdout, ...rotated.stderr].join().includes(next))

  // Killed after re-encrypting and before removing the old secret from the file.
  writeFileSync(path, `${next}\n${before}\n`)
  await checkHub(sandbox, prepared, {}, 'the last one')
  assert.equal((await sandbox.run(ROTATE)).code, 0)
  assert.equal(readFileSync(path, 'utf8').trim(), next)

  const nextRotation = await sandbox.run(ROTATE)
  assert.equal(nextRotation.code, 0)
  assert.notEqual(readFileSync(path, 'utf8').trim(), next)
  assert.match(nextRotation.stdout.join(), /^Encrypted \d+ texts with the new secret/)

  const withoutDatabase = await sandbox.run(ROTATE, { env: { HUB_DATA_DIR: 'elsewhere' } })
  assert.equal(withoutDatabase.code, 1)
  assert.match(withoutDatabase.stderr.join(), /There is no database/)
})
