import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { readConfig, SettingError } from '../../src/config/config.ts'
import { flagOf, SETTING_NAMES } from '../../src/config/settings.ts'
import { OPERATOR, test } from '../helpers/process/sandbox.ts'
import { isDeep } from '../helpers/time/tier.ts'

test('--help lists every setting with its flag, and --version prints the version', async (_, {
  run,
}) => {
  const [help, version, guide] = await Promise.all([
    run(['--help']),
    run(['--version']),
    run(['guide', '--help']),
  ])
  assert.equal(guide.code, 0)
  assert.ok(guide.stdout.includes('Usage: recordhub guide [options]'))
  assert.equal(help.code, 0)
  assert.ok(help.stdout.includes('recordhub <command> --help prints the options of a command.'))
  for (const name of SETTING_NAMES) {
    const line = new RegExp(`^ +${name} +--${flagOf(name)} +\\S`)
    assert.ok(
      help.stdout.some((one) => line.test(one)),
      `${name} is listed`,
    )
  }
  const manifest: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  assert.equal(version.code, 0)
  assert.deepEqual(version.stdout, [manifest.version])
})

test(
  'an invalid setting stops the start with one line that names it',
  async (t, { run, folder }) => {
    const wrong = [
      ['PORT', 'abc'],
      ['DATABASE_URL', 'mysql://user:secret-word@db/hub'],
      ['HUB_ADMIN_PASSWORD', 'long-secret'.repeat(30)],
      ['HUB_ADMIN_PASSWORD', 'Password-1234'],
    ] as const
    await Promise.all(
      // In the quick tier, one that is invalid in itself, and one that only the start checks.
      wrong
        .filter((_, index) => isDeep || index % 3 === 0)
        .map(([name, value]) =>
          t.test(`${name}=${value.slice(0, 40)}`, async () => {
            const email = name === 'HUB_ADMIN_PASSWORD' ? { HUB_ADMIN_EMAIL: OPERATOR.email } : {}
            const env = { HUB_DATA_DIR: join(folder, name), PORT: '0', ...email, [name]: value }
            const { code, stdout, stderr } = await run(['start'], { env })
            assert.deepEqual({ stdout, lines: stderr.length }, { stdout: [], lines: 1 })
            assert.doesNotMatch(stderr[0] ?? '', /secret-word|short-secret|long-secret/)
            assert.match(stderr[0] ?? '', new RegExp(name))
            assert.equal(code, 2)
          }),
        ),
    )
  },
  { concurrency: 2 },
)

test('the error for an invalid setting names the setting and does not contain secrets', () => {
  for (const [name, value] of [
    ['PORT', 'abc'],
    ['HUB_PULL_SCHEDULE', 'nonsense'],
    ['HUB_TIME_ZONE', 'Mars/Base'],
    ['HUB_SECRET', 'short-secret'],
    ['DATABASE_URL', 'mysql://user:secret-word@db/hub'],
    ['HUB_TRUST_PROXY', '10.0.0.0/99'],
  ] as const) {
    const environment = { [name]: value }
    assert.throws(
      () => readConfig({ flags: {}, environment, envFile: {} }),
      (error) => {
        assert.ok(error instanceof SettingError, name)
        assert.match(error.message, new RegExp(`^${name}`))
        assert.doesNotMatch(error.message, /\n|secret-word|short-secret/)
        return true
      },
    )
  }
})

test('an unknown command or flag exits with one line that names it', async (_, { run }) => {
  const wrong = [
    { args: ['fly'], message: /"fly"/ },
    {
      args: ['token', 'create', '--name', 'pager', '--platform', 'crm'],
      message: /^token create has no option --platform;/,
    },
    { args: ['start', '--colour', 'blue'], message: /--colour/ },
    { args: ['start', 'again'], message: /"start again"/ },
    { args: ['token', 'create'], message: /--name/ },
  ]
  await Promise.all(
    // The parser of arguments is the same in all of them.
    wrong.slice(0, isDeep ? wrong.length : 2).map(async ({ args, message }) => {
      const { code, stdout, stderr } = await run(args)
      assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 2, stdout: [], lines: 1 })
      assert.match(stderr[0] ?? '', message)
    }),
  )
})

test('flags override the environment, which overrides the .env file', async (_, {
  spawn,
  folder,
}) => {
  const file = ['HUB_DATA_DIR=from-file', 'HUB_LOG_LEVEL=nonsense', 'PORT=nonsense', 'HUB_HUE=blue']
  // Editors on Windows write a byte order mark, which must not hide the first setting.
  writeFileSync(join(folder, '.env'), `\uFEFF${file.join('\n')}`)
  const env = { HUB_LOG_LEVEL: 'warn', PORT: 'nonsense', HUB_COLOUR: 'blue', HUB_SECRET: '' }
  const hub = spawn(['start', '--port', '0', '--pull-schedule=off'], { env })
  const address = (await hub.untilPrinted(/^Recordhub listens at /)).split(' ').at(-1)
  assert.equal((await fetch(`${address}/healthz`)).status, 200)
  const mode = (...path: string[]) => statSync(join(folder, 'from-file', ...path)).mode & 0o777
  assert.equal(mode(), 0o700)
  assert.equal(mode('recordhub.secret'), 0o600)
  assert.deepEqual(await hub.stop(), { code: 0, signal: null })
  assert.equal(hub.stderr.length, 2, 'each unknown setting causes one warning')
  assert.match(hub.stderr.toSorted()[0] ?? '', /^HUB_COLOUR is not a setting/)
  assert.match(hub.stderr.toSorted()[1] ?? '', /^HUB_HUE is not a setting/)
})

test('a port in use stops the start with one line', async (t, { run }) => {
  const otherServer = createServer()
  t.after(() => otherServer.close())
  await once(otherServer.listen(0, '127.0.0.1'), 'listening')
  const boundTo = otherServer.address()
  const port = String(boundTo !== null && typeof boundTo === 'object' && boundTo.port)
  const { code, stdout, stderr } = await run(['start'], { env: { PORT: port } })
  assert.equal(code, 1)
  assert.equal(stderr.length, 1)
  assert.match(stderr[0] ?? '', new RegExp(`^PORT: ${port} is taken`))
  assert.deepEqual(stdout, [])
})
