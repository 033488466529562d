/** `recordhub guide` with and without a running hub. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { connectOperator } from '../helpers/process/operator.ts'
import { generateModule, startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'

const FILE = '../../../../docs/platform-guide/examples/start/hub.mjs'

test('the general guide needs no hub and can be limited to one programming language', async (_, {
  run,
}) => {
  const php = await run(['guide', '--language', 'php', '--port', '81'])
  assert.deepEqual([php.code, php.stderr], [0, []])
  const text = php.stdout.join('\n')
  assert.match(text, /For a platform that joins the hub at <http:\/\/127\.0\.0\.1:81>/)
  assert.deepEqual(text.match(/^#### .+$/gm), ['#### PHP', '#### PHP'])
  const wrong = await run(['guide', '--language', 'cobol'])
  assert.deepEqual([wrong.code, wrong.stdout, wrong.stderr.length], [2, [], 1])
  assert.match(wrong.stderr[0] ?? '', /curl, php/)
  const withoutDatabase = await run(['guide', '--platform', '1'])
  assert.equal(withoutDatabase.code, 1)
  assert.match(withoutDatabase.stderr[0] ?? '', /no database/)
})

test('the file of the guide to try it with runs as it stands', async (t) => {
  const file = fileURLToPath(new URL(FILE, import.meta.url))
  const env = { ...process.env, SOURCE_API_KEY: 'a-source-key', PORT: '0' }
  // It prints nothing, so its port is read from the server that the import creates.
  const code = `import http from 'node:http'; const listen = http.Server.prototype.listen
    http.Server.prototype.listen = function (...args) {
      return listen.apply(this, args).on('listening', () => console.log(this.address().port)) }
    await import(${JSON.stringify(file)})`
  const started = spawn(process.execPath, ['--input-type=module', '-e', code], { env })
  t.after(() => started.kill())
  const [port] = await once(started.stdout, 'data')
  const url = `http://127.0.0.1:${String(port).trim()}/api/hub`
  const read = (path: string, key: string) =>
    fetch(`${url}/${path}`, { headers: { 'X-PLATFORM-API-KEY': key } })
  assert.equal((await read('ping', 'another')).status, 401)
  for (const path of ['ping', 'manifest', 'records/letter']) {
    const response = await read(path, 'a-source-key')
    assert.equal(response.status, 200)
    assert.equal(Object(await response.json())['success'], true, path)
  }
})

const SETTINGS = { HUB_PUBLIC_URL: 'https://records.example.net' }

test('the command line prints the same guide as the API of the hub', async (t, {
  startHub,
  run,
}) => {
  const modules = [generateModule('visit', 1)]
  const platform = await startPlatform(t, { name: 'clinic', modules })
  const hub = await startHub({ env: SETTINGS })
  const operator = await connectOperator(hub)
  const registered = await operator.registerModules(platform)
  const { id } = registered.platform
  const guides = {
    general: await operator.request('GET', '/api/v1/guide'),
    clinic: await operator.request('GET', `/api/v1/platforms/${id}/instructions`),
  }
  assert.match(guides.clinic, /"visit"/)
  for (const [args, expected] of [
    [[], guides.general],
    [['--platform', 'clinic'], guides.clinic],
    [['--platform', String(id)], guides.clinic],
  ] as const) {
    const { code, stdout, stderr } = await run(['guide', ...args], { env: SETTINGS })
    assert.deepEqual({ code, stderr }, { code: 0, stderr: [] })
    assert.equal(`${stdout.join('\n')}\n`, expected)
    for (const key of [registered.hub_api_key, platform.source_api_key]) {
      assert.ok(!stdout.join('\n').includes(key))
    }
  }
  const unknown = await run(['guide', '--platform', 'clinics'])
  assert.deepEqual([unknown.code, unknown.stdout], [1, []])
  assert.match(unknown.stderr[0] ?? '', /platform "clinics"/)
})
