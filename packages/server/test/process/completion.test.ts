/** The script for Bash runs in Bash; those for the other shells run where the shell is installed. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { COMMAND_OPTIONS, COMMAND_SWITCHES } from '../../src/cli/arguments.ts'
import { completionScript, listCompletions } from '../../src/cli/completion.ts'
import { SettingError } from '../../src/config/config.ts'

/** Words before the cursor, some of the words that are offered, and words that are not. */
const CASES: readonly [line: string, offered: string[], missing: string[]][] = [
  ['recordhub ', ['start', 'demo', 'token', 'operator', 'completion'], ['create', '--port']],
  ['recordhub st', ['start'], ['demo']],
  ['recordhub token ', ['create'], ['start', 'rotate']],
  ['recordhub token create --', ['--name', '--role', '--database-url', '--help'], ['--port']],
  ['recordhub token create --name x --r', ['--role'], ['--name']],
  ['recordhub operator ', ['list', 'invite', 'reset-password'], ['create']],
  ['recordhub operator invite --r', ['--role'], ['--port']],
  ['recordhub operator role a@b.example admin --da', ['--database-url'], ['--port']],
  ['recordhub start --po', ['--port'], ['--name']],
  ['recordhub completion ', ['bash', 'zsh', 'fish'], ['start']],
  ['recordhub nonsense ', [], ['start', '--help']],
]

const isInstalled = (shell: string) => {
  try {
    execFileSync(shell, ['-c', ':'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Runs a program of the shell in an empty folder. @returns the lines that it prints. */
function runInShell(shell: string, program: string, args: string[] = []): string[] {
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-completion-'))
  try {
    writeFileSync(join(folder, 'script'), completionScript(shell))
    const options = {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, HOME: folder },
    } as const
    return execFileSync(shell, [...args, '-c', program], options)
      .split('\n')
      .filter(Boolean)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const COMPLETE: Record<string, (line: string) => string[]> = {
  bash(line) {
    const words = line.split(' ').map((word) => `'${word}'`)
    const program = `source ./script; COMP_WORDS=(${words.join(' ')}); COMP_CWORD=${words.length - 1}
_recordhub; printf '%s\\n' "\${COMPREPLY[@]}"`
    return runInShell('bash', program, ['--norc'])
  },
  zsh(line) {
    const words = line.split(' ').map((word) => `'${word}'`)
    // Without an editor, compadd prints what it was given. It is the editor that filters by the beginning of the word.
    const program = `compdef() { }; compadd() { shift; print -l -- "$@" }; source ./script
words=(${words.join(' ')}); CURRENT=${words.length}; _recordhub`
    const begun = line.slice(line.lastIndexOf(' ') + 1)
    return runInShell('zsh', program, ['-f']).filter((word) => word.startsWith(begun))
  },
  fish(line) {
    const lines = runInShell('fish', `source ./script; complete -C '${line}'`, ['--no-config'])
    return lines.map((one) => one.split('\t')[0] ?? '')
  },
}

for (const [shell, complete] of Object.entries(COMPLETE)) {
  const skip = isInstalled(shell) ? false : `${shell} is not installed`
  test(`${shell} completes commands, their subcommands and their options`, { skip }, () => {
    for (const [line, offered, missing] of CASES) {
      const words = complete(line)
      assert.deepEqual(
        [...offered, ...missing].filter((word) => words.includes(word)),
        offered,
        line,
      )
    }
  })
}

test('after an option with a value, Bash completes no options', () => {
  assert.deepEqual(COMPLETE['bash']?.('recordhub token create --name '), [])
})

test('each option of the command line is offered by the command whose help names it', () => {
  const completions = listCompletions()
  const offered = new Set(completions.flatMap(({ options, switches }) => [...options, ...switches]))
  const all = [...COMMAND_OPTIONS, ...COMMAND_SWITCHES].map((name) => `--${name}`)
  assert.deepEqual(
    all.filter((option) => !offered.has(option)),
    [],
  )
})

test('an unknown shell is an error that lists the shells', () => {
  for (const shell of [undefined, 'tcsh', 'constructor']) {
    assert.throws(
      () => completionScript(shell),
      new SettingError('completion: name a shell: bash, zsh, fish.'),
    )
  }
})
