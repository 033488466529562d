import assert from 'node:assert/strict'
import { constants } from 'node:os'
import { test } from 'node:test'
import { isOutOfSpace } from './error-code.ts'

test('a full disk and an exceeded quota are out of space, and other failures are not', () => {
  const errors = [{ code: 'ENOSPC' }, { errno: -constants.errno.EDQUOT }, { code: 'EIO' }, {}]
  assert.deepEqual(
    errors.map((error) => isOutOfSpace(Object.assign(new Error('made up'), error))),
    [true, true, false, false],
  )
})
