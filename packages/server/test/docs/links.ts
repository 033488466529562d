/** Checks the links between the documents of the repository. */
import { posix } from 'node:path'
import type { MarkdownFile } from './markdown.ts'

/** Links to other sites are listed and not requested. */
export function listExternalLinks(files: readonly MarkdownFile[]): string[] {
  const targets = files.flatMap(({ links }) => links.map(({ target }) => target))
  return [...new Set(targets.filter(isExternal))].toSorted()
}

/**
 * @param paths all files of the repository.
 * @returns one line per link whose file, folder or heading does not exist.
 */
export function findBrokenLinks(
  files: readonly MarkdownFile[],
  paths: readonly string[],
): string[] {
  const existing = new Set(paths)
  for (const path of paths) {
    for (let folder = posix.dirname(path); folder !== '.'; folder = posix.dirname(folder)) {
      existing.add(folder)
    }
  }
  const byPath = new Map(files.map((file) => [file.path, file]))
  return files.flatMap(({ path, links }) =>
    links.flatMap(({ target, line }) => {
      const issue = findIssue(path, target, existing, byPath)
      return issue === null ? [] : [`${path}:${line}: ${target} ${issue}`]
    }),
  )
}

export function isExternal(target: string): boolean {
  return /^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(target)
}

/** The path of a relative link in the repository, and its anchor. */
export function resolveLink(from: string, target: string): { path: string; anchor: string } {
  const [relative = '', anchor = ''] = target.split('#')
  const path = relative === '' ? from : posix.join(posix.dirname(from), decodeURI(relative))
  return { path: path.replace(/\/$/, ''), anchor: decodeURIComponent(anchor) }
}

function findIssue(
  from: string,
  target: string,
  existing: ReadonlySet<string>,
  byPath: ReadonlyMap<string, MarkdownFile>,
): string | null {
  if (isExternal(target)) return null
  if (target.startsWith('/')) return 'is not relative, so it does not work in the repository'
  const { path, anchor } = resolveLink(from, target)
  if (!existing.has(path)) return 'does not exist'
  if (anchor === '') return null
  const page = byPath.get(path)
  if (!page) return 'has an anchor, but is not a Markdown file'
  return page.anchors.has(anchor) ? null : 'has no such heading'
}
