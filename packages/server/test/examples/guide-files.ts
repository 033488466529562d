/** Extracts the files to write and the commands to run from the guide. */
import { GUIDE_LANGUAGES, type GuideLanguage } from '@recordhub/protocol/constants'
import { filterByLanguage } from '../../src/features/guide/fill-guide.ts'

export type ExamplePart = {
  /** File contents, by the path that the guide gives. */
  files: Map<string, string>
  /** The last command of the example; may have several lines. */
  command: string
}

const FILE = /^`([^`\n]+)`:\n\n```\w+\n([\s\S]*?)\n```$/gm
const COMMAND = /^```sh\n([\s\S]*?)\n```$/gm

/** The files with the platform's data, its pushes and its outbox. */
export function readDataFiles(guide: string): Map<string, string> {
  const files = filesIn(guide)
  const names = ['manifest.json', 'records.ndjson', 'record.json', 'change.json', 'outbox.sql']
  return new Map(names.map((name) => [name, files.get(name) ?? missing(name)]))
}

/** One of the two examples in a language. */
export function readExample(
  guide: string,
  language: GuideLanguage,
  part: 'The endpoints' | 'Pushing changes',
): ExamplePart {
  const heading = GUIDE_LANGUAGES[language]
  const section = filterByLanguage(guide, language)
    .split(/^## /m)
    .find((candidate) => candidate.startsWith(`${part}\n`))
  const [, text = missing(heading)] = section?.split(`\n#### ${heading}\n`) ?? []
  const commands = [...text.replaceAll(FILE, '').matchAll(COMMAND)].map(([, lines = '']) => lines)
  return { files: filesIn(text), command: commands.at(-1) ?? missing(`command of ${heading}`) }
}

function filesIn(text: string): Map<string, string> {
  return new Map([...text.matchAll(FILE)].map(([, name = '', code = '']) => [name, `${code}\n`]))
}

function missing(name: string): never {
  throw new Error(`The guide has no ${name}`)
}
