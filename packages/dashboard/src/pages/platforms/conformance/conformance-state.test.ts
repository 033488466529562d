import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConformanceLine, Finding } from '@recordhub/protocol'
import { applyLine, INITIAL } from './conformance-state.ts'

const finding: Finding = {
  ...{ rule: 'a.b', severity: 'warning', field: null, message: 'm', advice: 'a' },
  ...{ section: 'Records', count: 1, examples: [] },
}
const figures = { records: 3, bytes: 30, took_ms: 5 }

test('findings are listed under their endpoint and replaced when its check ends', () => {
  const lines: ConformanceLine[] = [
    { kind: 'checking', endpoint: 'ping', title: 'Ping' },
    { kind: 'checking', endpoint: 'records/a', title: 'Records of A' },
    { kind: 'finding', endpoint: 'records/a', finding },
    { kind: 'progress', endpoint: 'records/a', records: 2, bytes: 20 },
  ]
  const running = lines.reduce(applyLine, INITIAL)
  assert.deepEqual(
    running.endpoints.map(({ findings }) => findings.length),
    [0, 1],
  )
  assert.equal(running.progress, 2)
  const checked = {
    ...{ endpoint: 'records/a', title: 'Records of A', ...figures, passed: ['x'] },
    findings: [{ ...finding, count: 7 }],
  }
  const done = applyLine(running, { kind: 'endpoint', checked })
  assert.deepEqual(done.endpoints[1], checked)
  assert.equal(done.progress, null)
})
