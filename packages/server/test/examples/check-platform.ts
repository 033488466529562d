/** Runs `recordhub check-platform` against a running platform. */
import assert from 'node:assert/strict'
import type { Sandbox } from '../helpers/process/sandbox.ts'
import type { CheckPlatform } from './try-example.ts'

export function createPlatformCheck({ run }: Sandbox): CheckPlatform {
  return async (address, sourceKey) => {
    const args = ['check-platform', '--url', address, '--key', sourceKey]
    const { code, stdout, stderr } = await run(args)
    assert.equal(code, 0, [...stdout, ...stderr].join('\n'))
  }
}
