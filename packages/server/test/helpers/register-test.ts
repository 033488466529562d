import { type TestContext, type TestOptions, test } from 'node:test'
import { getCallSites } from 'node:util'
import { compileFunction } from 'node:vm'

/** More than helpers call each other. */
const FRAMES = 12
const CALL = 'test(name, options, body)'
const PARAMETERS = ['test', 'name', 'options', 'body']

/**
 * Registers a test for a helper. Node.js reports the location of the function that calls `test`, which would be the
 * helper. So the call is compiled with the location of the test file that calls the helper.
 */
export function registerTest(
  name: string,
  options: TestOptions,
  body: (t: TestContext) => unknown,
): void {
  const site = getCallSites(FRAMES).find(({ scriptName }) => scriptName.endsWith('.test.ts'))
  const register = compileFunction(CALL, PARAMETERS, {
    filename: site?.scriptName ?? import.meta.url,
    lineOffset: (site?.lineNumber ?? 1) - 1,
    columnOffset: (site?.columnNumber ?? 1) - 1,
  })
  register(test, name, options, async (t: TestContext) => {
    await body(t)
  })
}
