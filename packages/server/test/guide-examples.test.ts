/** Parses the code in the integration guide with the programs of this machine. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { describe, test } from 'node:test'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import { readGuide } from '../src/features/guide/read-guide.ts'

const text = readGuide().join('\n')

function codeIn(word: string): string[] {
  return [...text.matchAll(/^\s*```(\w+)[^\n]*\n([\s\S]*?)\n\s*```$/gm)]
    .filter(([, language]) => language === word)
    .map(([, , code = '']) => code)
}

function parse(program: string, parameters: string[], input: string): void {
  const { status, stderr } = spawnSync(program, parameters, { input, encoding: 'utf8' })
  assert.equal(status, 0, `${stderr}\n${input}`)
}

describe('the code in the integration guide', () => {
  test('exists in every language, for the endpoints and for the pushes', () => {
    for (const language of Object.values(GUIDE_LANGUAGES)) {
      assert.equal(text.split(`\n#### ${language}\n`).length - 1, 2, language)
    }
  })

  test('is valid JavaScript', () => {
    const examples = codeIn('js')
    assert.equal(examples.length, 4)
    for (const code of examples)
      parse(process.execPath, ['--input-type=module', '--check', '-'], code)
  })

  test('is valid shell script', () => {
    const examples = codeIn('sh')
    assert.ok(examples.length >= 4)
    for (const code of examples) parse('sh', ['-n'], code)
  })

  test('is valid JSON', () => {
    const examples = codeIn('json')
    assert.ok(examples.length > 8)
    for (const code of examples) JSON.parse(code)
  })

  test('uses only headers and paths of the contract', () => {
    const headers = [...text.matchAll(/\bX-[A-Z-]+\b/g)].map(([header]) => header)
    assert.deepEqual([...new Set(headers)].toSorted(), ['X-API-KEY', 'X-PLATFORM-API-KEY'])
    const paths = [...text.matchAll(/hub\.example\.org(\/[\w/]+)/g)].map(([, path]) => path)
    assert.deepEqual([...new Set(paths)].toSorted(), ['/api/webhook/check', '/api/webhook/receive'])
  })
})
