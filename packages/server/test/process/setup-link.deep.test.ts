import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { tokenOfLink } from '../helpers/hub/link-token.ts'
import { createOperatorClient, signIn } from '../helpers/process/operator.ts'
import { OPERATOR, test } from '../helpers/process/sandbox.ts'

test('the setup link creates the first operator once and is not printed again', async (_, {
  spawn,
  run,
  folder,
}) => {
  const env = { PORT: '0', HUB_PULL_SCHEDULE: 'off', HUB_LOG_LEVEL: 'warn' }
  const hub = spawn(['start'], { env })
  const line = await hub.untilPrinted(/^Create the first operator: /)
  const link = new URL(line.slice('Create the first operator: '.length))
  assert.equal((await fetch(link)).status, 200)
  const print = () => run(['setup-link'], { env: { ...env, HUB_PUBLIC_URL: link.origin } })
  const printed = await print()
  assert.deepEqual([printed.stdout, printed.code], [[link.href], 0], printed.stderr.join('\n'))
  const body = { ...OPERATOR, name: 'Ops', token: tokenOfLink(link.href) }
  const anonymous = createOperatorClient(link.origin, {})
  const wrong = await anonymous.call('POST', '/setup', { ...body, token: 'guessed' })
  assert.equal(wrong.status, 403)
  assert.equal((await anonymous.call('POST', '/setup', body)).status, 201)
  await signIn(link.origin)
  const other = { ...body, email: 'other@example.org' }
  assert.equal((await anonymous.call('POST', '/setup', other)).status, 409)
  const refused = await print()
  assert.deepEqual([refused.stdout, refused.code], [[], 1])
  assert.match(refused.stderr.join(), /operator already exists/)
  await hub.stop()

  const mode = (name: string) => statSync(join(folder, 'data', name)).mode & 0o777
  assert.equal(mode('.'), 0o700)
  assert.equal(mode('recordhub.secret'), 0o600)

  const restarted = spawn(['start'], { env })
  await restarted.untilPrinted(/^Recordhub listens at /)
  await restarted.stop()
  assert.deepEqual(
    restarted.stdout.filter((printed) => printed.includes('/setup')),
    [],
  )
})
