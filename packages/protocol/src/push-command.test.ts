import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { type PushCommand, pushCommand, requestCommand } from './push-command.ts'

const command: PushCommand = {
  hubUrl: 'https://hub.example',
  tunnelHeader: 'tunnel-skip',
  hubApiKey: 'rhk_1',
  data: { module_name: `Ann's "best" $HOME; rm -rf`, record_type: `it's` },
}

/** The arguments that a shell passes to curl. */
function argumentsOf(text: string, env: Record<string, string> = {}): string[] {
  const script = text.replace(/^curl/, `printf '%s\\0'`)
  const printed = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8', env })
  return printed.split('\0').slice(0, -1)
}

test('the command of a push is a single command with all headers, whatever the record contains', () => {
  const [, , url, ...others] = argumentsOf(pushCommand(command))
  assert.equal(url, 'https://hub.example/api/webhook/receive')
  assert.deepEqual(
    others.filter((argument) => /^[\w-]+: /.test(argument)),
    [
      'Accept: application/json',
      'Content-Type: application/json',
      'X-API-KEY: rhk_1',
      'tunnel-skip: true',
    ],
  )
  assert.deepEqual(JSON.parse(others.at(-1) ?? ''), command.data)
})

test('a key that is not known is taken from the environment', () => {
  const text = pushCommand({ ...command, hubApiKey: null, data: '@record.json' })
  const args = argumentsOf(text, { HUB_API_KEY: 'rhk_2' })
  assert.ok(args.includes('X-API-KEY: rhk_2'))
  assert.equal(args.at(-1), '@record.json')
})

test('the command of a logged request repeats what the receiver reads, and no other header', () => {
  const body = `@it's {"a": "$HOME"}`
  const headers = { 'x-api-key': '[key removed]', cookie: 'c', 'content-type': 'text/plain' }
  const url = 'https://hub.example/api/webhook/receive'
  const text = requestCommand({ method: 'PATCH', url, headers, body })
  const key = ['-H', 'X-API-KEY: rhk_2']
  const args = argumentsOf(text, { HUB_API_KEY: 'rhk_2' })
  assert.deepEqual(args, [
    ...['-X', 'PATCH', url, '-H', 'content-type: text/plain', ...key, '--data-raw', body],
  ])
  const keyless = requestCommand({ method: 'GET', url, headers: {}, body: null })
  assert.deepEqual(argumentsOf(keyless), ['-X', 'GET', url])
})
