import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOperatorClient } from '../helpers/process/operator.ts'
import { createSandbox, test } from '../helpers/process/sandbox.ts'

test('a token created on the command line works immediately at a running hub', async (_, {
  startHub,
  run,
}) => {
  const hub = await startHub()
  const { code, stdout, stderr } = await run(['token', 'create', '--name', 'report'])
  assert.equal(code, 0)
  assert.deepEqual(stderr, [])
  assert.equal(stdout.length, 1, 'only the token is printed')
  const [token = ''] = stdout
  assert.match(token, /^rht_[0-9A-Za-z]+$/)
  const program = createOperatorClient(hub.address, { Authorization: `Bearer ${token}` })
  const read = await program.call('GET', '/api/v1/platforms')
  assert.equal(read.status, 200)
  assert.deepEqual(JSON.parse(read.text), { success: true, platforms: [], next_cursor: null })
  assert.equal(
    (await program.call('POST', '/api/v1/pulls')).status,
    403,
    'the token has the viewer role',
  )
  const withWrongToken = createOperatorClient(hub.address, {
    Authorization: `Bearer ${token.slice(0, -1)}`,
  })
  assert.equal((await withWrongToken.call('GET', '/api/v1/platforms')).status, 401)
})

test('an unresolvable host name stops the start with one line', async (_, { run }) => {
  const env = { PORT: '0', HOST: 'nowhere.invalid' }
  const { code, stdout, stderr } = await run(['start'], { env })
  assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 1, stdout: [], lines: 1 })
  assert.match(stderr[0] ?? '', /nowhere\.invalid/)
})

test('an unusable database file stops the start with one line that names it', async (t, {
  run,
  folder,
}) => {
  const garbage = join(folder, 'garbage', 'recordhub.sqlite')
  const directory = join(folder, 'directory', 'recordhub.sqlite')
  mkdirSync(join(folder, 'garbage'))
  writeFileSync(garbage, 'This is no database. '.repeat(500))
  mkdirSync(directory, { recursive: true })
  for (const path of [garbage, directory]) {
    await t.test(
      path === garbage ? 'a file without a database' : 'a folder instead of a file',
      async () => {
        const env = { PORT: '0', HUB_DATA_DIR: join(path, '..') }
        const { code, stdout, stderr } = await run(['start'], { env })
        assert.equal(code, 1)
        assert.deepEqual(stdout, [])
        assert.equal(stderr.length, 1)
        assert.doesNotMatch(stderr[0] ?? '', /Try again/, 'a retry would not help')
        assert.match(stderr[0] ?? '', /recordhub\.sqlite/, 'the line names the file')
      },
    )
  }
  assert.equal(readFileSync(garbage, 'utf8'), 'This is no database. '.repeat(500))
})

test('a hub whose output is no longer read stops without an error', async (t) => {
  const { child, stderr, stop } = await createSandbox(t).startHub()
  child.stdout?.destroy()
  assert.equal((await stop()).code, 0)
  assert.deepEqual(stderr, [])
})
