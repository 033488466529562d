import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { isDeepFile } from '../runner/plan.ts'
import { assertPossible, testOf } from './defect.ts'
import { DEFECTS } from './list.ts'

const PACKAGES = new URL('../../../', import.meta.url)

test('each defect changes one place of the code, and names a test file of the quick tier', () => {
  for (const defect of DEFECTS) {
    assertPossible(PACKAGES, defect)
    const file = testOf(defect)
    assert.ok(existsSync(new URL(file, PACKAGES)) && !isDeepFile(file), file)
  }
})
