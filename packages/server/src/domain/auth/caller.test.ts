import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Caller, keyOfCaller, nameOfCaller } from './caller.ts'

const program = (tokenId: number, operatorId: string | null): Caller => ({
  ...{ kind: 'program', tokenId, name: 'export', role: 'viewer', scope: null },
  ...{ expiresAt: null, operatorId },
})
const operator = (id: string, sessionId: string): Caller => ({
  ...{ kind: 'operator', id, email: `${id}@example.org`, name: id, role: 'viewer' },
  ...{ sessionId, secondFactorStep: null },
})

test('all sessions and tokens of an operator are one caller, and each token of the command line is one', () => {
  const ann = [operator('ann', 'a'), operator('ann', 'b'), program(1, 'ann'), program(2, 'ann')]
  const others = [operator('bob', 'c'), program(3, 'bob'), program(4, null), program(5, null)]
  assert.equal(new Set(ann.map(keyOfCaller)).size, 1)
  assert.equal(new Set([...ann, ...others].map(keyOfCaller)).size, 4)
})

test('tokens of the same name have different names in the audit log', () => {
  assert.deepEqual([program(1, 'ann'), program(2, 'bob')].map(nameOfCaller), [
    'token 1 (export)',
    'token 2 (export)',
  ])
})
