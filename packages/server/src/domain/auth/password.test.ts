import assert from 'node:assert/strict'
import { test } from 'node:test'
import { codePoint, fc } from '../../../test/helpers/random/fast-check.ts'
import { findPasswordIssue } from './password.ts'

const OWNER = {
  email: 'ann.lee@corp.example',
  name: 'Ann Leeward',
  publicUrl: 'https://registry.corp.example',
}
const issueOf = (password: string) => findPasswordIssue(password, OWNER)

test('a long password is accepted in any script, with any characters', async () => {
  for (const password of [
    'correct horse battery staple',
    'lauter kleine buchstaben',
    'пусть всегда будет солнце',
    '正しい馬の電池のホチキスです',
    '🐴🔋📎✅🐴🔋📎✅🐙🐙🐙🐙',
    '                 x y z w v',
    "'; DROP TABLE operators; --",
    `${'x'.repeat(100)}yzuvwab`,
  ]) {
    assert.equal(await issueOf(password), null, password)
  }
})

test('a character counts once, regardless of its number of code units', async () => {
  assert.match((await issueOf('🐴🔋📎✅🐴🔋📎')) ?? '', /12 characters/)
  assert.match((await issueOf('e\u0301'.repeat(5))) ?? '', /12 characters/)
  assert.match((await issueOf('abcdefg'.repeat(40))) ?? '', /longer than 256/)
})

test('common passwords are rejected, even with capitals, with separators or in pairs', async () => {
  for (const password of [
    'qwerty123456',
    'Qwerty-123456',
    'password123456',
    'P a s s w o r d 1 2 3 4 5 6',
    '1qaz2wsx3edc',
    'administrator',
    'iloveyousunshine',
    'password password',
    'ｐａｓｓｗｏｒｄ１２３４５６',
  ]) {
    assert.match((await issueOf(password)) ?? '', /common one/, password)
  }
  for (const password of ['aaaaaaaaaaaa', '121212121212', 'abcabcabcabc', '            ']) {
    assert.match((await issueOf(password)) ?? '', /repeats/, password)
  }
})

test('passwords made from the names of the hub or its operator are rejected', async () => {
  for (const password of [
    'recordhub2026!',
    'Recordhub-Recordhub',
    'ann.lee@corp.example',
    'AnnLeeward 2026',
    'registry.corp.example1',
    'leeward-recordhub',
  ]) {
    assert.match((await issueOf(password)) ?? '', /your name/, password)
  }
  assert.match((await issueOf('recordhub password')) ?? '', /common one/)
  assert.equal(await issueOf('the registry of the old lighthouse'), null)
})

test('passwords under 12 or over 256 characters are always rejected', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: codePoint, maxLength: 300 }), async (password) => {
      const issue = await issueOf(password)
      if (Array.from(password).length < 12) assert.notEqual(issue, null)
      if (password.length > 256) assert.notEqual(issue, null)
    }),
  )
})
