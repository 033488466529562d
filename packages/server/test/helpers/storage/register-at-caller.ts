import type nodeTest from 'node:test'
import { getCallSites } from 'node:util'
import { compileFunction } from 'node:vm'

/**
 * Registers a test for the function that called the caller. node:test reports the place where its `test` was called,
 * which would be the wrapper: so the call is compiled with the file and the line of the test.
 */
export function registerAtCaller(
  test: typeof nodeTest,
  name: string,
  body: () => Promise<void>,
): void {
  const site = getCallSites(3)[2]
  compileFunction('test(name, body)', ['test', 'name', 'body'], {
    filename: site?.scriptName ?? '',
    lineOffset: (site?.lineNumber ?? 1) - 1,
    columnOffset: (site?.columnNumber ?? 1) - 1,
  })(test, name, body)
}
