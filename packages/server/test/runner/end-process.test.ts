import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { env, execPath } from 'node:process'
import { test } from 'node:test'

const END_PROCESS = new URL('./end-process.ts', import.meta.url).href

/** Runs a process with a test whose body is this code. */
function runProcess(body: string, closingMs: number) {
  const code = `
    import { createServer } from 'node:net'
    import { test } from 'node:test'
    import '${END_PROCESS}'
    test('a test', () => { ${body} })`
  const { NODE_TEST_CONTEXT: _, ...others } = env
  const processEnv = { ...others, TEST_CLOSING_MS: `${closingMs}` }
  const args = ['--input-type=module', '--eval', code]
  return spawnSync(execPath, args, { encoding: 'utf8', env: processEnv })
}

test('a process that a test keeps open fails and names what is open', () => {
  const { status, stderr } = runProcess('createServer().listen(0)', 1)
  assert.equal(status, 1)
  assert.match(stderr, /^The process did not end after its tests\. It has open: .*TCPServerWrap/m)
})

test('a process ends as soon as its tests have closed what they opened', () => {
  const { status, stderr } = runProcess('createServer().listen(0).close()', 60 * 60_000)
  assert.deepEqual([status, stderr], [0, ''])
})
