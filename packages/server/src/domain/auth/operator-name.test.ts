import assert from 'node:assert/strict'
import { test } from 'node:test'
import { toOperatorName } from './operator-name.ts'

test('the name of an operator is one line without invisible characters, in any script', () => {
  for (const [text, name] of [
    ['Ann Lee', 'Ann Lee'],
    [' Ann \t Lee\u00a0', 'Ann Lee'],
    ['山田\u3000太郎', '山田 太郎'],
    ['علی\u200cرضا', 'علی\u200cرضا'],
    ['Ann\nhub: all fine', 'Ann hub: all fine'],
    ['Ann\u202enimda', 'Ann nimda'],
    ['\ud800', '\ufffd'],
    ['\u200d \u200b', ''],
    ['', ''],
    ['x'.repeat(300), 'x'.repeat(200)],
  ] as const) {
    assert.equal(toOperatorName(text), name)
  }
})
