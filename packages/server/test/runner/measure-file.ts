/**
 * Measures the processor time of a test file in its process. The entry of a process imports this module before its first
 * test file, and after each one with `?file=<path>`: the test that it registers runs when the tests of that file have ended.
 */
import { test } from 'node:test'
import { measureFile } from './usage.ts'

const file = new URL(import.meta.url).searchParams.get('file')

test('the processor time of a file', () => measureFile(file))
