import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { it } from 'node:test'
import { examplePush } from './example-push.ts'

const field = (key: string) => ({ key, label: key, type: 'string', required: false })

it('the example push is a single shell command, whatever the module is named', () => {
  const module = {
    module_name: `Ann's "best" $HOME; rm -rf`,
    record_type: `it's`,
    description: '',
    fields: ['reference_number', 'status', "o'clock", 'created_at'].map(field),
  }
  const hubApiKey = 'rhk_1'
  const command = examplePush(module, { hubUrl: 'https://hub.example', hubApiKey })
  // Prints each argument that the shell would pass to curl.
  const script = command.replace(/^curl/, `for word in "$@"; do :; done; printf '%s\\0'`)
  const words = execFileSync('/bin/sh', ['-c', script], { encoding: 'utf8' }).split('\0')
  assert.equal(words[2], 'https://hub.example/api/webhook/receive')
  assert.ok(words.includes('X-API-KEY: rhk_1'))
  const body = JSON.parse(words.at(-2) ?? '')
  assert.equal(body.module_name, module.module_name)
  assert.equal(body.record_type, "it's")
  assert.deepEqual(Object.keys(body.data), ['reference_number', 'status', "o'clock", 'created_at'])
})
