/** The Markdown files of the repository: their headings, links and code blocks. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export const ROOT: string = fileURLToPath(new URL('../../../../', import.meta.url))

export type Link = { target: string; line: number }
export type CodeBlock = { language: string; text: string; line: number }
export type MarkdownFile = {
  /** Relative to the root of the repository. */
  path: string
  text: string
  title: string
  /** The anchors of its headings. */
  anchors: ReadonlySet<string>
  /** The targets of links and images. */
  links: Link[]
  blocks: CodeBlock[]
}

/** All files of the repository, also new ones that are not committed yet, relative to its root. */
export function listRepositoryFiles(): string[] {
  const args = ['ls-files', '--cached', '--others', '--exclude-standard', '-z']
  const deleted = execFileSync('git', ['ls-files', '--deleted', '-z'], { cwd: ROOT })
  const missing = new Set(deleted.toString().split('\0'))
  const listed = execFileSync('git', args, { cwd: ROOT, maxBuffer: 50_000_000 })
  const files = listed.toString().split('\0')
  return [...new Set(files)].filter((path) => path !== '' && !missing.has(path)).toSorted()
}

export function readMarkdownFiles(): MarkdownFile[] {
  const paths = listRepositoryFiles().filter((path) => path.endsWith('.md'))
  return paths.map((path) => parseMarkdown(path, readFileSync(`${ROOT}${path}`, 'utf8')))
}

const FENCE = /^(\s*)(`{3,}|~{3,})\s*(\S*)/
const HEADING = /^#{1,6}\s+(.+?)\s*#*$/
/** `[text](target)`, `![text](target "title")`, and the images of HTML. */
const LINKS = /\]\(<?([^()\s<>]+)>?(?:\s+"[^"]*")?\)|\b(?:src|srcset|href)="([^"\s]+)"/g

export function parseMarkdown(path: string, text: string): MarkdownFile {
  const file: MarkdownFile = { path, text, title: '', anchors: new Set(), links: [], blocks: [] }
  const anchors = new Set<string>()
  let block: (CodeBlock & { fence: string; indent: number }) | null = null
  for (const [index, line] of text.split('\n').entries()) {
    const [, indent = '', fence = '', language = ''] = FENCE.exec(line) ?? []
    if (block) {
      if (fence.startsWith(block.fence) && language === '') {
        const { language: of, text: content, line: from } = block
        file.blocks.push({ language: of, text: content, line: from })
        block = null
      } else block.text += `${line.slice(Math.min(block.indent, line.search(/\S|$/)))}\n`
    } else if (fence) {
      block = { language, text: '', line: index + 1, fence, indent: indent.length }
    } else {
      const heading = HEADING.exec(line)?.[1]
      if (heading !== undefined) {
        file.title ||= plainText(heading)
        anchors.add(uniqueAnchor(anchors, slugify(plainText(heading))))
      }
      for (const [, target, attribute] of withoutCode(line).matchAll(LINKS)) {
        file.links.push({ target: target ?? attribute ?? '', line: index + 1 })
      }
    }
  }
  return { ...file, anchors }
}

/** The anchor of a heading on GitHub and GitLab, which the site uses too. */
export function slugify(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}\s_-]/gu, '')
    .replace(/\s/g, '-')
}

function uniqueAnchor(anchors: ReadonlySet<string>, anchor: string): string {
  if (!anchors.has(anchor)) return anchor
  let number = 1
  while (anchors.has(`${anchor}-${number}`)) number += 1
  return `${anchor}-${number}`
}

function plainText(heading: string): string {
  return heading.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1').replace(/[`*]/g, '')
}

/** Inline code contains no links. */
function withoutCode(line: string): string {
  return line.replace(/(`+)(?:(?!\1).)+\1/g, '')
}
