/** `recordhub sql-views`, and the program sqlite3 with what it prints. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connectOperator } from '../helpers/process/operator.ts'
import { startPlatform } from '../helpers/process/platform.ts'
import { test } from '../helpers/process/sandbox.ts'

const QUERY = 'SELECT hub_full_name, status FROM v_school_student'

test('the statements of sql-views create views that sqlite3 reads', async (t, {
  startHub,
  run,
  folder,
}) => {
  const hub = await startHub()
  const operator = await connectOperator(hub)
  const person = { reference_number: 'R-1', full_name: 'Ann', data: { status: 'open' } }
  const module = {
    ...{ module_name: 'Students', record_type: 'student', keys: ['status'] },
    records: [JSON.stringify(person)],
  }
  await operator.registerModules(await startPlatform(t, { name: 'school', modules: [module] }))
  await operator.registerModules(await startPlatform(t, { name: 'club', modules: [module] }))
  await operator.pullAll()
  const readNames = async (args: string[]) => {
    const { code, stdout, stderr } = await run(['sql-views', ...args])
    assert.deepEqual([code, stderr], [0, []])
    const text = stdout.join('\n')
    writeFileSync(join(folder, 'views.sql'), text)
    return text.match(/(?<=^CREATE TEMP VIEW ")[^"]+/gm)
  }
  assert.deepEqual(await readNames([]), ['v_school_student', 'v_club_student'])
  assert.deepEqual(await readNames(['--platform', 'school']), ['v_school_student'])
  try {
    execFileSync('sqlite3', ['--version'])
  } catch {
    return t.diagnostic('sqlite3 is not installed')
  }
  const args = ['-readonly', '-init', 'views.sql', join('data', 'recordhub.sqlite'), QUERY]
  assert.equal(execFileSync('sqlite3', args, { cwd: folder, encoding: 'utf8' }), 'Ann|open\n')
})
