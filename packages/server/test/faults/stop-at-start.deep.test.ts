import assert from 'node:assert/strict'
import { ENGINES } from '../helpers/process/engine.ts'
import { test } from '../helpers/process/sandbox.ts'

for (const engine of ENGINES) {
  test(`a hub exits cleanly on SIGTERM from the moment it logs that it listens (${engine.name})`, async (t) => {
    const { sandbox } = await engine.createSandbox(t)
    // Sends the signal exactly when the line is written, since a supervisor would do so only by chance.
    const signalOnLine = `
    const write = process.stdout.write.bind(process.stdout)
    process.stdout.write = (text) => {
      if (String(text).startsWith('Recordhub listens')) process.kill(process.pid, 'SIGTERM')
      return write(text)
    }`
    const preload = `data:text/javascript,${encodeURIComponent(signalOnLine)}`
    const hub = sandbox.spawn(['start'], {
      env: { PORT: '0', HUB_PULL_SCHEDULE: 'off', NODE_OPTIONS: `--import ${preload}` },
    })
    assert.deepEqual(await hub.ended, { code: 0, signal: null })
  })
}
