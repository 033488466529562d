/** `recordhub guide` with and without a running hub. */
import assert from 'node:assert/strict'
import { test } from '../helpers/process/sandbox.ts'

test('the general guide needs no hub and can be limited to one programming language', async (_, {
  run,
}) => {
  const php = await run(['guide', '--language', 'php', '--port', '81'])
  assert.deepEqual([php.code, php.stderr], [0, []])
  const text = php.stdout.join('\n')
  assert.match(text, /For a platform that joins the hub at <http:\/\/127\.0\.0\.1:81>/)
  assert.deepEqual(text.match(/^#### .+$/gm), ['#### PHP', '#### PHP'])
  const wrong = await run(['guide', '--language', 'cobol'])
  assert.deepEqual([wrong.code, wrong.stdout, wrong.stderr.length], [2, [], 1])
  assert.match(wrong.stderr[0] ?? '', /curl, php/)
  const withoutDatabase = await run(['guide', '--platform', '1'])
  assert.equal(withoutDatabase.code, 1)
  assert.match(withoutDatabase.stderr[0] ?? '', /no database/)
})
