/** Recovery codes: sign-ins with them, and their storage. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { symmetricDecrypt, symmetricEncrypt } from 'better-auth/crypto'
import { deriveAuthSecret } from '../../src/domain/auth/auth-secret.ts'
import { createSecretBox } from '../../src/lib/crypto/secret-box.ts'
import { describeHub } from '../helpers/hub/describe-hub.ts'
import { PASSWORD, SECRET, type TestHub } from '../helpers/hub/hub.ts'
import { expectAbsent, expectError } from '../helpers/hub/response.ts'
import { enableSecondFactor, sendCode } from '../helpers/hub/second-factors.ts'
import { cookieOf } from '../helpers/operator.ts'
import { only } from '../helpers/storage/fixtures.ts'
import { authKysely } from '../helpers/storage/sql.ts'

const KEY = deriveAuthSecret(createSecretBox(SECRET))

/** Signs in with the password and a recovery code. */
const signInWithCode = async (hub: TestHub, email: string, code: string) =>
  sendCode(hub, await hub.sendSignIn(email), 'verify-backup-code', code)

async function readEncryptedCodes(hub: TestHub, operatorId: string): Promise<string> {
  const query = `SELECT backup_codes FROM operator_second_factors WHERE operator_id = '${operatorId}'`
  return String(only(await hub.sql(query))['backup_codes'])
}

/** Decrypts the stored codes, as an attacker with the database and the hub's secret could. */
async function decryptCodes(hub: TestHub, operatorId: string): Promise<string[]> {
  const backup_codes = await readEncryptedCodes(hub, operatorId)
  const codes: unknown = JSON.parse(await symmetricDecrypt({ key: KEY, data: backup_codes }))
  assert.ok(Array.isArray(codes))
  return codes.map(String)
}

/** Every row of every table. */
async function readDatabase(hub: TestHub): Promise<string> {
  const tables = await authKysely(hub.storage).introspection.getTables()
  assert.ok(tables.some(({ name }) => name === 'operator_second_factors'))
  const rows: unknown[] = []
  for (const { schema, name } of tables) {
    const table = schema === undefined ? `"${name}"` : `"${schema}"."${name}"`
    rows.push(name, await hub.sql(`SELECT * FROM ${table}`))
  }
  return JSON.stringify(rows)
}

describeHub('recovery codes', { env: { HUB_TRUST_PROXY: 'on' } }, (hub) => {
  test('a recovery code works once', async () => {
    const { id, email } = await hub.createOperator()
    const { codes } = await enableSecondFactor(hub, await hub.signIn(email))
    assert.equal(new Set(codes).size, 10)
    const [code = '', second = ''] = codes
    await hub.sessionOf(await signInWithCode(hub, email, code))
    for (const again of [code, code.toUpperCase()]) {
      expectError(await signInWithCode(hub, email, again), 401, 'invalid_backup_code')
    }
    await hub.sessionOf(await signInWithCode(hub, email, second))
    assert.equal((await decryptCodes(hub, id)).length, 8)
    assert.ok((await hub.auditActions()).includes('session.begin'))
  })

  test('of simultaneous sign-ins with one recovery code, only one succeeds', async () => {
    const { id, email } = await hub.createOperator()
    const { codes } = await enableSecondFactor(hub, await hub.signIn(email))
    const [code = ''] = codes
    const typed = [code, code.toUpperCase(), code.replaceAll('-', ' ')]
    const signIns = []
    for (const _ of typed) signIns.push(await hub.sendSignIn(email))
    const responses = await Promise.all(
      signIns.map((signIn, at) => sendCode(hub, signIn, 'verify-backup-code', typed[at] ?? '')),
    )
    assert.equal(responses.filter((response) => response.status === 200).length, 1)
    assert.equal((await decryptCodes(hub, id)).length, 9)
  })

  test('a recovery code is accepted with another case, spaces or dashes', async () => {
    const { email } = await hub.createOperator()
    const { codes } = await enableSecondFactor(hub, await hub.signIn(email))
    const [first = '', second = '', third = ''] = codes
    for (const typed of [
      first.toUpperCase().replaceAll('0', 'O').replaceAll('1', 'I'),
      ` ${second.replaceAll('-', ' ')} `,
      third.replaceAll('-', ''),
    ]) {
      await hub.sessionOf(await signInWithCode(hub, email, typed))
    }
    for (const invalid of ['', '-', third.slice(0, 4), codes.join('\n')]) {
      expectError(await signInWithCode(hub, email, invalid), 401, 'invalid_backup_code')
    }
  })

  test('only hashes are stored, and no stored value is accepted as a code', async () => {
    const { id, email } = await hub.createOperator()
    const { codes } = await enableSecondFactor(hub, await hub.signIn(email))
    await hub.sessionOf(await signInWithCode(hub, email, codes[9] ?? ''))
    const hashes = await decryptCodes(hub, id)
    assert.equal(hashes.length, 9)
    for (const hash of hashes) assert.match(hash, /^sha256:[\w-]{43}$/)
    const parts = codes.flatMap((code) => {
      const groups = code.split('-')
      const runs = groups.slice(2).map((_, at) => groups.slice(at, at + 3))
      return [...runs.map((run) => run.join('-')), ...runs.map((run) => run.join(''))]
    })
    const stored = `${await readDatabase(hub)} ${hashes}`.toLowerCase()
    expectAbsent(parts, [stored, hub.log()])

    const [hash = ''] = hashes
    for (const typed of [
      hash,
      hash.replace('sha256:', ''),
      Buffer.from(hash.slice(7), 'base64url').toString('hex'),
      JSON.stringify(hashes),
      (await readEncryptedCodes(hub, id)).slice(0, 1000),
    ]) {
      expectError(await signInWithCode(hub, email, typed), 401, 'invalid_backup_code')
    }
  })

  test('wrong recovery codes from one address are counted across sign-ins and finally return 429', async () => {
    const { id, email } = await hub.createOperator()
    const { codes } = await enableSecondFactor(hub, await hub.signIn(email))
    const [hash = ''] = await decryptCodes(hub, id)
    const tryFrom = async (address: string, code: string) => {
      const from = { 'x-forwarded-for': address }
      const signIn = await hub.sendSignIn(email, PASSWORD, from)
      return hub.send({
        method: 'POST',
        url: '/api/auth/two-factor/verify-backup-code',
        headers: { ...from, cookie: cookieOf(signIn) },
        body: { code },
      })
    }
    const [code = ''] = codes
    const statuses: number[] = []
    for (const entered of ['x', hash, 'y', hash, 'z', hash, code]) {
      statuses.push((await tryFrom('198.51.100.66', entered)).status)
    }
    assert.deepEqual(statuses, [401, 401, 401, 401, 401, 429, 429])
    assert.equal((await tryFrom('192.0.2.1', code)).status, 200)
  })

  test('new recovery codes replace the old ones', async () => {
    const { email } = await hub.createOperator()
    const { codes, session } = await enableSecondFactor(hub, await hub.signIn(email))
    const request = { as: session, body: { password: PASSWORD } }
    const path = '/api/v1/account/second-factor/recovery-codes'
    const { recovery_codes } = await hub.call(`POST ${path}`, request)
    expectError(await signInWithCode(hub, email, codes[0] ?? ''), 401, 'invalid_backup_code')
    await hub.sessionOf(await signInWithCode(hub, email, String(recovery_codes[0])))
  })

  test('unhashed recovery codes of an older version work once, and the rest are hashed on use', async () => {
    const { id, email } = await hub.createOperator()
    await enableSecondFactor(hub, await hub.signIn(email))
    const data = JSON.stringify(['aBcDe-01oIl', 'zZzZz-99999'])
    const encrypted = await symmetricEncrypt({ key: KEY, data })
    await hub.sql(
      `UPDATE operator_second_factors SET backup_codes = '${encrypted}' WHERE operator_id = '${id}'`,
    )
    await hub.sessionOf(await signInWithCode(hub, email, 'aBcDe-01oIl'))
    const left = await decryptCodes(hub, id)
    assert.deepEqual(
      left.map((one) => one.slice(0, 7)),
      ['sha256:'],
    )
    expectError(await signInWithCode(hub, email, 'aBcDe-01oIl'), 401, 'invalid_backup_code')
    await hub.sessionOf(await signInWithCode(hub, email, 'zZzZz-99999'))
    assert.deepEqual(await decryptCodes(hub, id), [])
  })
})
