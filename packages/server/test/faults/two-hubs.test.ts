import assert from 'node:assert/strict'
import { connectOperator } from '../helpers/process/operator.ts'
import { startPlatform } from '../helpers/process/platform.ts'
import { createPusher } from '../helpers/process/push.ts'
import { test } from '../helpers/process/sandbox.ts'

test('a second hub on the same data folder fails to start, and the first one continues to run', async (t, sandbox) => {
  const hub = await sandbox.startHub()
  const operator = await connectOperator(hub)
  const modules = [{ module_name: 'Cases', record_type: 'case', keys: ['a'], records: [] }]
  const platform = await startPlatform(t, { name: 'registry', modules })
  const { hub_api_key: hubApiKey } = await operator.registerModules(platform)
  const pusher = createPusher({ address: hub.address, hubApiKey })
  t.after(pusher.close)
  const push = async (reference_number: string) => {
    const record = { method: 'POST', record_type: 'case', reference_number, data: {} } as const
    const result = await pusher.push(record)
    return result.kind === 'response' ? result.status : result.kind
  }

  assert.equal(await push('before'), 201)
  const second = await sandbox.run(['start'], { env: { PORT: '0' } })
  assert.equal(second.code, 1)
  assert.deepEqual(second.stdout, [])
  assert.equal(second.stderr.length, 1)
  assert.match(second.stderr[0] ?? '', /Another hub is running on .*data/)
  assert.equal(await push('after'), 201)

  assert.deepEqual(await hub.stop('SIGTERM'), { code: 0, signal: null })
})
