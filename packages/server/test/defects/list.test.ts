import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { isDeepFile } from '../runner/plan.ts'
import { changedSource, testOf } from './defect.ts'
import { DEFECTS } from './list.ts'

const PACKAGES = fileURLToPath(new URL('../../../', import.meta.url))

test('each defect changes one place of the code, and names a test file of the quick tier', () => {
  for (const defect of DEFECTS) {
    changedSource(PACKAGES, defect)
    const file = testOf(defect)
    assert.ok(existsSync(join(PACKAGES, file)) && !isDeepFile(file), file)
  }
})
