import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from './create-logger.ts'

test('a program that starts many hubs does not collect listeners', () => {
  createLogger({ HUB_LOG_LEVEL: 'fatal' })
  const listeners = process.listenerCount('exit')
  createLogger({ HUB_LOG_LEVEL: 'fatal' })
  assert.equal(process.listenerCount('exit'), listeners)
})
