/**
 * `npm run check:docs [-- <part of a path> …]`: executes the commands of the documents, also those that take minutes, and
 * builds the site. Exits with 1 if anything fails.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listBlocks } from './blocks.ts'
import { findBrokenLinks, listExternalLinks } from './links.ts'
import { listRepositoryFiles, readMarkdownFiles } from './markdown.ts'
import { startBlockRunner } from './run-blocks.ts'
import { buildSite } from './site.ts'

const print = (line: string) => void process.stdout.write(`${line}\n`)

async function main(words: string[]): Promise<number> {
  const files = readMarkdownFiles()
  const { blocks, issues } = listBlocks(files)
  const problems = [...issues, ...findBrokenLinks(files, listRepositoryFiles())]
  const isChosen = (path: string) => words.length === 0 || words.some((word) => path.includes(word))
  const chosen = blocks.filter(({ path }) => isChosen(path))
  print(`External links, not requested:\n  ${listExternalLinks(files).join('\n  ')}\n`)
  const cleanUps: (() => unknown)[] = []
  const runner = await startBlockRunner({ after: (cleanUp) => void cleanUps.push(cleanUp) })
  for (const [path, ofDocument] of Map.groupBy(chosen, (block) => block.path)) {
    for (const { line, treatment } of ofDocument) {
      if ('notRun' in treatment) print(`not run  ${path}:${line}: ${treatment.notRun}`)
    }
    const run = ofDocument.filter(({ treatment }) => 'run' in treatment)
    if (run.length === 0) continue
    try {
      await runner.run(run)
      print(`ok       ${path}: ${run.length} of ${ofDocument.length} blocks`)
    } catch (error) {
      problems.push(`${path}: ${error instanceof Error ? error.message : String(error)}`)
      print(`FAILED   ${path}`)
    }
  }
  for (const cleanUp of cleanUps) await cleanUp()
  if (words.length === 0) {
    const out = mkdtempSync(join(tmpdir(), 'recordhub-site-'))
    await buildSite(out, '/').catch((error: unknown) => problems.push(String(error)))
    rmSync(out, { recursive: true, force: true })
    print('The site was built.')
  }
  for (const problem of problems) print(`\n${problem}`)
  return problems.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
