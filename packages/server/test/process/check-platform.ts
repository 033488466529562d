import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { simulateConformingPlatform } from '../helpers/platform/conformance-check.ts'
import { createSandbox } from '../helpers/process/sandbox.ts'

export async function setUp(t: TestContext) {
  const sandbox = createSandbox(t)
  const platform = await simulateConformingPlatform()
  t.after(() => platform[Symbol.asyncDispose]())
  const [module] = platform.modules
  assert.ok(module)
  const key = platform.source_api_key
  const check = (args: string[], env: Record<string, string> = { SOURCE_API_KEY: key }) =>
    sandbox.run(['check-platform', '--url', platform.source_base_url, ...args], { env })
  return { ...sandbox, platform, module, key, check }
}
