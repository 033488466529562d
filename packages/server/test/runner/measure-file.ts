/**
 * Measures the processor time of a test file in its process. The entry of a process imports this module before its first
 * test file, and after each one with `?file=<path>`: the test that it registers runs when the tests of that file have ended.
 */
import { createHook } from 'node:async_hooks'
import { env } from 'node:process'
import { test } from 'node:test'
import { measureFile } from './usage.ts'

const file = new URL(import.meta.url).searchParams.get('file')
const register = () => void test('the processor time of a file', () => measureFile(file))

if (file === null && env['TEST_USAGE'] !== undefined) withoutHook(register)
else register()

/**
 * The first call of `test` enables a hook that notes the test of each promise, which takes a seventh of the processor time.
 * It only finds the test that caused an uncaught exception. Without it, such an exception fails the process, and the
 * command that repeats its files finds the test.
 */
function withoutHook(work: () => void): void {
  for (const event of ['uncaughtExceptionMonitor', 'unhandledRejection'])
    process.on(event, (error) => console.error(error))
  const prototype = Object.getPrototypeOf(createHook({}))
  const { enable } = prototype
  prototype.enable = () => undefined
  work()
  prototype.enable = enable
}
