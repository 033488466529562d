/**
 * `npm run check:defects [-- <word> …] [--jobs <number>]`: puts each defect of `list.ts` into a copy of the working
 * tree, and runs its test file of the quick tier, in which an assertion must fail. Words select the defects whose rule,
 * file or test contains one of them. Exits with 1 if a defect is not found, cannot be made, or a test fails without it.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { argv, execPath, stdout } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../helpers/postgres/server.ts'
import { changedSource, testOf } from './defect.ts'
import { DEFECTS, type Defect } from './list.ts'

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url))
const PACKAGES = join(ROOT, 'packages')
const RUNNER = 'packages/server/test/runner/main.ts'
const NOT_COPIED = new Set(['.git', 'node_modules'])

async function main(): Promise<boolean> {
  const options = { jobs: { type: 'string', default: '1' } } as const
  const { values, positionals } = parseArgs({
    args: argv.slice(2),
    allowPositionals: true,
    options,
  })
  const words = positionals.length > 0 ? positionals : ['']
  const selected = DEFECTS.filter((defect) =>
    words.some((word) => `${defect.rule} ${defect.file} ${testOf(defect)}`.includes(word)),
  )
  // Fails at once if a changed file would not load.
  for (const defect of selected) stripTypeScriptTypes(changedSource(PACKAGES, defect))
  const folder = fs.mkdtempSync(join(tmpdir(), 'recordhub-defects-'))
  const server = await startPostgres()
  process.env['TEST_DATABASE_URL'] = server.url
  try {
    const clean = copyTree(join(folder, '0'))
    const { hasPassed, output } = await runTests(clean, selected.map(testOf))
    if (!hasPassed) throw new Error(`${output}\nThe tests fail without a defect.`)
    const others = Array.from({ length: Number(values.jobs) - 1 }, (_, index) =>
      copyTree(join(folder, String(index + 1))),
    )
    const queue = selected.values()
    const results = await Promise.all([clean, ...others].map((copy) => tryDefects(copy, queue)))
    const missed = results.flat().filter((isFound) => !isFound).length
    print(`${selected.length} defects, ${missed} not found`)
    return missed === 0
  } finally {
    await server.remove()
    fs.rmSync(folder, { recursive: true, force: true })
  }
}

/** Copies the working tree with links to its dependencies. The packages of the workspace are those of the copy. */
function copyTree(target: string): string {
  const filter = (path: string) => !NOT_COPIED.has(basename(path))
  fs.cpSync(ROOT, target, { recursive: true, verbatimSymlinks: true, filter })
  linkModules(join(ROOT, 'node_modules'), join(target, 'node_modules'))
  for (const path of fs.globSync('packages/*/node_modules', { cwd: ROOT })) {
    fs.symlinkSync(join(ROOT, path), join(target, path))
  }
  return target
}

function linkModules(from: string, to: string): void {
  fs.mkdirSync(to)
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const [source, link] = [join(from, entry.name), join(to, entry.name)]
    // Links lead to packages of the workspace.
    if (entry.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(source), link)
    else if (entry.name === '@recordhub') linkModules(source, link)
    else if (entry.name !== '.cache') fs.symlinkSync(source, link)
  }
}

/** Tries defects of a shared queue, one after the other. @returns whether each was found. */
async function tryDefects(copy: string, queue: Iterable<Defect>): Promise<boolean[]> {
  const found: boolean[] = []
  for (const defect of queue) {
    const path = join(copy, 'packages', defect.file)
    const source = fs.readFileSync(path, 'utf8')
    fs.writeFileSync(path, changedSource(join(copy, 'packages'), defect))
    const test = testOf(defect)
    const { output } = await runTests(copy, [test], (text) => findFailure(text) !== null)
    fs.writeFileSync(path, source)
    const name = findFailure(output)
    found.push(name !== null)
    if (name === null) print(output)
    const { rule, file } = defect
    print(`${name === null ? 'NOT FOUND' : 'found'} | ${rule} | ${file} | ${test} › ${name ?? ''}`)
  }
  return found
}

/** The name of the first test in the output of the runner in which an assertion has failed. */
function findFailure(output: string): string | null {
  const failures = output.matchAll(/^✖ \S+?:\d+ › (.*)\n((?: {4}.*\n)*)/gm)
  return failures.find(([, , error]) => error?.includes('ERR_ASSERTION'))?.[1] ?? null
}

/** Runs test files, until the output is sufficient. */
async function runTests(
  copy: string,
  tests: string[],
  isSufficient: (output: string) => boolean = () => false,
): Promise<{ hasPassed: boolean; output: string }> {
  const files = new Set(tests.map((test) => `packages/${test}`))
  const child = spawn(execPath, [RUNNER, ...files], {
    cwd: copy,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const closed = once(child, 'close')
  let output = ''
  for await (const text of child.stdout.setEncoding('utf8')) {
    output += text
    // The runner then ends the processes of its tests.
    if (isSufficient(output)) child.kill('SIGINT')
  }
  await closed
  return { hasPassed: child.exitCode === 0, output }
}

function print(line: string): void {
  stdout.write(`${line}\n`)
}

process.exitCode = (await main()) ? 0 : 1
