/** Managing operators from the command line while a hub is running. */
import assert from 'node:assert/strict'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { enginesForTier, sqlite } from '../helpers/process/engine.ts'
import { signIn } from '../helpers/process/operator.ts'
import { OPERATOR, test } from '../helpers/process/sandbox.ts'

const NEW = 'another horse battery staple'
const BOB = { email: 'bob@example.org', password: 'the stapler of the horse' }

for (const engine of enginesForTier(sqlite)) {
  test(`operators are managed from the command line, on ${engine.name}`, async (t) => {
    const { sandbox, queryDatabase } = await engine.createSandbox(t)
    const hub = await sandbox.startHub()
    const env = { HUB_PUBLIC_URL: hub.address }
    const run = (command: string, input = '') =>
      sandbox.run(['operator', ...command.split(' ')], { env, input })
    const expectSuccess = async (command: string, input = '') => {
      const { code, stdout, stderr } = await run(command, input)
      assert.deepEqual({ code, stderr }, { code: 0, stderr: [] }, command)
      return stdout.join('\n')
    }

    const link = await expectSuccess('invite bob@example.org --role operator')
    assert.ok(link.startsWith(`${hub.address}/invitation#token=rhi_`), link)
    const body = { token: tokenOfLink(link), name: 'Bob', password: BOB.password }
    const accepted = await fetch(`${hub.address}/invitation`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    assert.equal(accepted.status, 201)
    const bob = await signIn(hub.address, BOB)
    const sessionStatus = async () => (await bob.call('GET', '/api/v1/session')).status
    assert.equal(await sessionStatus(), 200)
    const list = await expectSuccess('list')
    assert.match(list, /^bob@example\.org\toperator\tlast seen 2/m)
    assert.match(list, /^ops@example\.org\tadmin\t/m)

    assert.match(await expectSuccess('end-sessions BOB@example.org'), /: 1\.$/)
    assert.equal(await sessionStatus(), 401)
    await expectSuccess('role bob@example.org viewer')
    await expectSuccess('disable bob@example.org')
    await assert.rejects(signIn(hub.address, BOB), /403/)
    await expectSuccess('enable bob@example.org')
    const newSession = await signIn(hub.address, BOB)
    await expectSuccess('reset-password bob@example.org --remove-second-factor', `${NEW}\n`)
    assert.equal((await newSession.call('GET', '/api/v1/session')).status, 401)
    await assert.rejects(signIn(hub.address, BOB), /401/)
    await signIn(hub.address, { email: BOB.email, password: NEW })

    const failures = [
      ['disable ops@example.org', 1, /admin/],
      ['role ops@example.org viewer', 1, /admin/],
      ['role bob@example.org god', 2, /viewer, operator, admin/],
      ['disable unknown@example.org', 1, /unknown@example\.org/],
      ['reset-password unknown@example.org', 1, /unknown@example\.org/],
      ['reset-password bob@example.org', 1, /12 characters/],
      ['reset-password bob@example.org', 1, /common one/, 'password123456'],
      ['invite bob@example.org', 1, /is taken/],
      ['invite nonsense', 1, /e-mail/],
      ['fly bob@example.org', 2, /no command/],
      ['disable', 2, /no command/],
      ['constructor', 2, /no command/],
    ] as const
    for (const [command, code, message, input = ''] of failures) {
      const result = await run(command, input)
      assert.deepEqual([result.code, result.stdout, result.stderr.length], [code, [], 1], command)
      assert.match(result.stderr[0] ?? '', message, command)
    }
    await signIn(hub.address, { email: BOB.email, password: NEW })
    await signIn(hub.address, OPERATOR)

    const audit = await queryDatabase(
      "SELECT action, target FROM audit WHERE actor = 'command line' ORDER BY audit_id",
    )
    assert.deepEqual(
      audit.map((entry) => entry['action']),
      [
        'operator.invite',
        'session.end_all',
        ...['operator.change', 'operator.change', 'operator.change'],
        'account.reset_password',
        'token.revoke_all',
      ],
    )
  })
}
