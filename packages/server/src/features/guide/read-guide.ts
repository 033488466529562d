/**
 * Reads the guide from the repository. A line that consists of a link to a file in `examples/` is replaced by that file,
 * so that the guide contains the code that `npm run check:examples` runs.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { extname, posix } from 'node:path'

const FOLDER = new URL('../../../../../docs/platform-guide/', import.meta.url)
/** `[label](path)`, `[label](README.md#section)`, or `[label](path "the example's name")`. */
const INCLUDE = /^\[([^\]]+)\]\(([\w./-]+)(?:#([\w-]+))?(?: "(\w+)")?\)$/gm

const CODE: Record<string, string> = {
  '.cs': 'csharp',
  '.csproj': 'xml',
  '.mjs': 'js',
  '.py': 'python',
}

/** The sections of the guide in order, with the files of the examples included. */
export function readGuide(): string[] {
  const names = readdirSync(FOLDER).filter((name) => /^\d.*\.md$/.test(name))
  return names.toSorted().map((name) => includeFiles(readText(name), ''))
}

/** @param folder the folder that the links are relative to. */
function includeFiles(text: string, folder: string): string {
  return text.replaceAll(
    INCLUDE,
    (_, label: string, link: string, section?: string, name?: string) => {
      const path = posix.join(folder, link)
      const included = readText(path)
      if (section) return includeFiles(sectionOf(included, section), posix.dirname(path))
      const language = CODE[extname(path)] ?? extname(path).slice(1)
      const info = name ? `${language} example=${name}` : language
      return `\`${label}\`:\n\n\`\`\`${info}\n${included.trimEnd()}\n\`\`\``
    },
  )
}

/** The text between a second-level heading and the next one. */
function sectionOf(text: string, id: string): string {
  const sections = text.split(/^## /m)
  const found = sections.find((one) => idOf(one.split('\n', 1)[0] ?? '') === id)
  if (found === undefined) throw new Error(`The examples have no section ${id}`)
  return found.slice(found.indexOf('\n')).trim()
}

function idOf(heading: string): string {
  return heading.toLowerCase().replaceAll(' ', '-')
}

function readText(path: string): string {
  return readFileSync(new URL(path, FOLDER), 'utf8')
}
