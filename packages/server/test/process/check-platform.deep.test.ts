import assert from 'node:assert/strict'
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { ConformanceReport } from '@recordhub/protocol'
import { parseArguments } from '../../src/cli/arguments.ts'
import { checkPlatform } from '../../src/cli/check-platform.ts'
import { SettingError } from '../../src/config/config.ts'
import { findingRules, validRecord } from '../helpers/platform/conformance-check.ts'
import { respond } from '../helpers/platform/platform.ts'
import { test } from '../helpers/process/sandbox.ts'
import { setUp } from './check-platform.ts'

/** Runs the command in this process. */
function checkInProcess(args: string[]): Promise<number> {
  const parsed = parseArguments(['check-platform', ...args])
  const ignore = () => undefined
  return checkPlatform(parsed, ignore, ignore)
}

test('invalid arguments and an unreachable platform exit with code 2', async (t) => {
  const { run, platform, key } = await setUp(t)
  const url = platform.source_base_url
  const { port } = new URL(url)
  for (const { args, message } of [
    { args: ['--url', url], message: /SOURCE_API_KEY/ },
    { args: ['--url', url, '--key', 'a\nb'], message: /header/ },
    {
      args: ['--url', url, '--key', key, '--push', '--port', port],
      message: /port \d+ \(EADDRINUSE\)/,
    },
  ]) {
    const { code, stdout, stderr } = await run(['check-platform', ...args])
    assert.deepEqual({ code, stdout, lines: stderr.length }, { code: 2, stdout: [], lines: 1 })
    assert.match(stderr[0] ?? '', message)
    assert.ok(!stderr.join('').includes(key))
  }
  // The process prints these errors like the ones above.
  for (const { args, message } of [
    { args: ['--key', key], message: /--url/ },
    { args: ['--url', url, '--key', key, '--max-records', 'many'], message: /--max-records/ },
    { args: ['--url', url, '--key', key, '--for', '0'], message: /--for/ },
    { args: ['--url', url, '--key', key, '--html', 'no/folder.html'], message: /--html.*ENOENT/ },
  ]) {
    await assert.rejects(checkInProcess(args), (error) => {
      assert.ok(error instanceof SettingError)
      assert.match(error.message, message)
      return true
    })
  }
  await assert.rejects(checkInProcess(['--url', 'ftp://x', '--key', key]), {
    code: 'source_url_invalid',
    message: /https/,
  })
  const unreachable = await run(['check-platform', '--url', 'http://127.0.0.1:1', '--key', key])
  assert.equal(unreachable.code, 2)
  assert.equal(
    unreachable.stdout.at(-1),
    'The platform could not be reached. 1 error, 0 warnings, 0 notes.',
  )
})

test('the check waits for a platform that sends Retry-After', async (t) => {
  const { check, platform } = await setUp(t)
  const unavailable = respond.status(503, { 'Retry-After': '1', Connection: 'close' })
  platform.queueResponses('records/cases', unavailable)
  const throttled = respond.status(429, { 'Retry-After': '1', Connection: 'close' })
  platform.queueResponses('ping', throttled)
  const { code, stdout } = await check(['--json'])
  assert.equal(code, 0)
  const report: ConformanceReport = JSON.parse(stdout.join('\n'))
  assert.deepEqual(findingRules(report), ['connection check.throttled'])
  assert.deepEqual([report.errors, report.notes], [0, 1])
})

for (const name of ['hr', 'clinic']) {
  test(`the demo platform ${name} has a report without issues`, async (t, { run }) => {
    const key = 'source-key-of-the-demo-0123'
    const file = new URL('../../src/cli/demo/sample-platform.ts', import.meta.url)
    const child: ChildProcess = fork(file, [name, key])
    t.after(() => child.kill())
    const [{ port }] = await once(child, 'message')
    const url = `http://127.0.0.1:${port}`
    const args = ['check-platform', '--url', url, '--key', key, '--json']
    const { code, stdout } = await run(args)
    const report: ConformanceReport = JSON.parse(stdout.join('\n'))
    assert.deepEqual(findingRules(report), [])
    assert.equal(code, 0)
  })
}

test('the check exits with code 130 on SIGINT or a closed stdout, without a stack trace', async (t) => {
  const { spawn, platform, key } = await setUp(t)
  const args = ['check-platform', '--url', platform.source_base_url]
  const env = { SOURCE_API_KEY: key }
  const recordsRequest = platform.delayNextResponse('records/cases')
  const stopped = spawn(args, { env })
  await recordsRequest.arrived
  assert.deepEqual(await stopped.stop('SIGINT'), { code: 130, signal: null })
  assert.deepEqual(stopped.stderr, [
    'The check was stopped before it was complete: there is no report.',
  ])
  recordsRequest.release()
  const manifestRequest = platform.delayNextResponse('manifest')
  const unread = spawn(args, { env })
  await manifestRequest.arrived
  unread.child.stdout?.destroy()
  manifestRequest.release()
  assert.deepEqual(await unread.ended, { code: 130, signal: null })
  assert.deepEqual(unread.stderr, stopped.stderr)
})

test('with --push the check validates pushes until it is stopped, and the report includes them', async (t) => {
  const { spawn, platform, key } = await setUp(t)
  const check = spawn(
    ['check-platform', '--url', platform.source_base_url, '--push', '--port', '0', '--json'],
    { env: { SOURCE_API_KEY: key } },
  )
  const connection = () => /Address +(\S+)[\s\S]*Hub API key +(\S+)/.exec(check.stderr.join('\n'))
  while (!connection()) await once(check.child.stderr ?? check.child, 'data')
  const [, address = '', hubApiKey = ''] = connection() ?? []
  const lines = check.stderr.join('\n')
  const warning = lines.search(/Warning: .*outbox/)
  assert.ok(warning >= 0 && warning < lines.indexOf(address), lines)
  const headers = { 'X-API-KEY': hubApiKey, 'Content-Type': 'application/json' }
  const body = JSON.stringify({
    ...validRecord(9),
    record_type: 'cases',
    module_name: 'Module cases',
  })
  const pushed = await fetch(`${address}/api/webhook/receive`, { method: 'POST', headers, body })
  assert.equal(pushed.status, 201)
  assert.deepEqual(await check.stop('SIGINT'), { code: 0, signal: null })
  const report: ConformanceReport = JSON.parse(check.stdout.join('\n'))
  assert.equal(report.complete, false, 'not every rule could be checked')
  assert.ok(findingRules(report).includes('push push.not_seen'))
  assert.ok(!JSON.stringify(report).includes(hubApiKey))
})
