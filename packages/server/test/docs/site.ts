/**
 * Builds the documents as a site with VitePress, for `npm run docs:site -- --out <folder> [--base /path/]`. VitePress is
 * fetched on demand, because it is larger than everything else that the repository needs.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { fetchProgram } from '../programs/fetch.ts'
import { isExternal, resolveLink } from './links.ts'
import {
  listRepositoryFiles,
  type MarkdownFile,
  ROOT,
  readMarkdownFiles,
  slugify,
} from './markdown.ts'
import { makeNavigation, type NavigationGroup } from './navigation.ts'

const DECISIONS = 'docs/decisions'
/** Fences whose information VitePress would misread. */
const FENCE_INFO = /^(\s*`{3,}\w+) .*$/gm
/** Code, or else the beginning of a tag or an interpolation. */
const CODE_OR_TAG =
  /(^\s*(`{3,})[\s\S]*?^\s*\2\s*$|(`+)(?:(?!\3)[^\n])+\3)|<(?!\/?(?:img|br|details|summary|kbd)\b|https?:|!--)|\{\{/gm
/** A data file that the integration guide includes. */
const INCLUDED = /^\[([\w.-]+)\]\(([^()\s]+) "\w+"\)$/gm
/** An image for each color scheme, in the form that code hosts support. */
const PICTURE =
  /<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)" alt="([^"]*)"><\/picture>/g

/** Writes the source of the site into an empty folder. */
export function writeSiteSource(folder: string, base: string): void {
  const files = readMarkdownFiles()
  const paths = listRepositoryFiles()
  const { groups } = makeNavigation(files.map(({ path }) => path))
  const pages = new Set(groups.flatMap((group) => group.pages))
  const titles = new Map(files.map(({ path, title }) => [path, title]))
  for (const file of files) {
    if (pages.has(file.path)) write(folder, pageOf(file.path), toPage(file, pages, paths))
  }
  const decisions = files.filter(({ path }) => path.startsWith(`${DECISIONS}/`))
  write(folder, `${DECISIONS}/index.md`, toIndex('Decisions', decisions))
  for (const path of paths.filter((one) => one.startsWith('docs/images/'))) {
    cpSync(join(ROOT, path), join(folder, path))
  }
  write(folder, '.vitepress/config.mjs', writeConfig(groups, titles, base))
  write(folder, '.vitepress/theme/index.mjs', THEME)
  write(folder, '.vitepress/theme/style.css', STYLE)
}

function write(folder: string, path: string, text: string): void {
  mkdirSync(join(folder, dirname(path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

/** A README is the index of its folder. */
function pageOf(path: string): string {
  return path.replace(/(^|\/)README\.md$/, '$1index.md')
}

function toPage(file: MarkdownFile, pages: ReadonlySet<string>, paths: readonly string[]): string {
  const links = [...new Set(file.links.map(({ target }) => target))]
  let text = file.text.replace(FENCE_INFO, '$1').replace(PICTURE, (_, dark, light, alt) => {
    const [darkUrl, lightUrl] = [dark, light].map((url) => (url.startsWith('.') ? url : `./${url}`))
    return `<img class="light-only" src="${lightUrl}" alt="${alt}"><img class="dark-only" src="${darkUrl}" alt="${alt}">`
  })
  text = text.replace(INCLUDED, (_, name: string, target: string) => {
    const content = readFileSync(join(ROOT, resolveLink(file.path, target).path), 'utf8')
    return `\`\`\`json [${name}]\n${content.trimEnd()}\n\`\`\``
  })
  for (const target of links.filter((link) => !isExternal(link))) {
    const { path, anchor } = resolveLink(file.path, target)
    const to =
      posix.relative(posix.dirname(file.path), pageOf(path)) || posix.basename(pageOf(path))
    const url = pages.has(path)
      ? `${to}${anchor && `#${anchor}`}`
      : path === DECISIONS
        ? `${to}/index.md`
        : paths.includes(path) && path.startsWith('docs/images/')
          ? target
          : null
    text =
      url === null
        ? // The site has no such page: a source file, for example.
          text.replaceAll(new RegExp(`\\[([^\\]]*)\\]\\(${RegExp.escape(target)}\\)`, 'g'), '$1')
        : text.replaceAll(`](${target})`, `](${url})`)
  }
  return escapePlaceholders(text)
}

/** Escapes what is neither code nor one of the HTML elements in use, such as `<name>`, which Vue would parse. */
function escapePlaceholders(text: string): string {
  return text.replace(CODE_OR_TAG, (found, code: string | undefined) =>
    code === undefined ? found.replace('<', '&lt;').replace('{{', '&#123;&#123;') : found,
  )
}

function toIndex(title: string, files: readonly MarkdownFile[]): string {
  const lines = files.map((file) => `- [${file.title}](${posix.basename(file.path)})`)
  return `# ${title}\n\n${lines.join('\n')}\n`
}

function writeConfig(
  groups: readonly NavigationGroup[],
  titles: ReadonlyMap<string, string>,
  base: string,
): string {
  const linkTo = (path: string) => `/${pageOf(path).replace(/(^|\/)index\.md$/, '$1')}`
  const sidebar = groups.map(({ title, isCollapsed = false, pages }) => ({
    text: title,
    collapsed: isCollapsed,
    items: pages.map((path) => ({
      text: titles.get(path)?.replace(/^(\d+)\.? /, '$1. ') ?? path,
      link: linkTo(path).replace(/\.md$/, ''),
    })),
  }))
  const nav = groups
    .filter(({ isCollapsed }) => !isCollapsed)
    .map(({ title, pages }) => ({ title, first: pages.find((page) => page !== 'README.md') ?? '' }))
    .map(({ title, first }) => ({
      text: title,
      link: linkTo(first).replace(/\.md$/, ''),
    }))
  const config = {
    base,
    title: 'Recordhub',
    description: 'A self-hosted record synchronisation hub',
    lang: 'en',
    head: [['meta', { name: 'referrer', content: 'no-referrer' }]],
    themeConfig: {
      nav,
      sidebar,
      outline: [2, 3],
      search: { provider: 'local' },
      docFooter: { prev: 'Previous', next: 'Next' },
    },
  }
  return `${slugify.toString()}
export default { ...${JSON.stringify(config, null, 2)},
  markdown: {
    anchor: { slugify },
    headers: { slugify },
    toc: { slugify },
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
}
`
}

const THEME = `import DefaultTheme from 'vitepress/theme'
import './style.css'
export default DefaultTheme
`

const STYLE = `html.dark .light-only, html:not(.dark) .dark-only { display: none; }
.vp-doc table { display: block; overflow-x: auto; }
@media (min-width: 640px) { .vp-doc td code { white-space: nowrap; } }
.vp-doc td { vertical-align: top; }
`

/** @throws Error with the output of VitePress. */
export async function buildSite(out: string, base: string): Promise<void> {
  const program = join(await fetchProgram('vitepress'), 'site/node_modules')
  const folder = mkdtempSync(join(tmpdir(), 'recordhub-docs-'))
  try {
    writeSiteSource(folder, base)
    symlinkSync(program, join(folder, 'node_modules'))
    const command = join(program, 'vitepress/bin/vitepress.js')
    const args = [command, 'build', folder, '--outDir', out]
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    if (status !== 0) throw new Error(`The site could not be built:\n${stdout}${stderr}`)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: { out: { type: 'string' }, base: { type: 'string', default: '/' } },
  })
  if (values.out === undefined) {
    process.stderr.write('Usage: npm run docs:site -- --out <folder> [--base /path/]\n')
    process.exit(2)
  }
  // npm runs scripts in the folder of the repository.
  const out = resolve(process.env['INIT_CWD'] ?? '.', values.out)
  await buildSite(out, values.base)
  process.stdout.write(`The site is in ${out}. Serve it with any web server.\n`)
}
