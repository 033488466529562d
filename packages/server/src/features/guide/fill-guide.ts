/**
 * Replaces the generic values and examples of the guide by those of a hub and a platform. Without replacements, the guide
 * in the repository is complete as well.
 */

import { readdirSync, readFileSync } from 'node:fs'
import { extname, posix } from 'node:path'
import type { GuideResponse, Platform } from '@recordhub/protocol'
import { GUIDE_LANGUAGES, type GuideLanguage } from '@recordhub/protocol/constants'
import { type Examples, examplePush, exampleRecordType, makeExamples } from './make-examples.ts'

type HubValues = {
  /** The URL at which platforms reach the hub, such as `https://hub.example.org`. */
  hubUrl: string
  platformPath: string
  tunnelHeader: string
  /** The version of the hub, and thus of the packages that it serves. */
  version: string
}

type PlatformValues = { title: string; recordType: string | null; examples: Examples }

const EXAMPLE_BLOCK = /^```((?:nd)?json) example=(\w+)\n[\s\S]*?\n```$/gm
/** The path segment: in URLs, in Laravel's routes and in the options of the kit. */
const PATH_SEGMENT = /\/api\/hub\b|(?<=prefix\(')\/hub(?=')|(?<=pathWord: ')hub(?=')/g

/** The guide as one Markdown document; without a platform, the generic guide. */
export function fillGuide(
  sections: readonly string[],
  hub: HubValues,
  platform: PlatformValues | null,
): string {
  const text = sections
    .map((section) => section.trim())
    .join('\n\n')
    .replaceAll('https://hub.example.org', () => hub.hubUrl)
    .replaceAll(PATH_SEGMENT, (path) => path.replace('hub', () => hub.platformPath))
    .replaceAll('-<version>.tgz', () => `-${hub.version}.tgz`)
    .replaceAll('ngrok-skip-browser-warning', () => hub.tunnelHeader)
  if (!platform) {
    const plain = text.replaceAll(/^(```(?:nd)?json) example=\w+$/gm, '$1')
    return `# Integration guide\n\nFor a platform that joins the hub at <${hub.hubUrl}>.\n\n${plain}\n`
  }
  const { title, recordType, examples } = platform
  const ownText = text
    .replaceAll(/\/records\/employee\b|\brecords\/employee\b/g, (path) =>
      recordType === null ? path : path.replace('employee', () => encodeURIComponent(recordType)),
    )
    .replaceAll(EXAMPLE_BLOCK, (block, format: string, name: string) => {
      const example = examples.get(name)
      return example === undefined ? block : `\`\`\`${format}\n${write(example, format)}\n\`\`\``
    })
  const name = escapeMarkdown(title)
  return `# Integration guide for ${name}\n\nThe hub is at <${hub.hubUrl}>. The examples name the modules and fields of ${name}.\n\n${ownText}\n`
}

function write(example: unknown, format: string): string {
  if (format === 'json' || !Array.isArray(example)) return JSON.stringify(example, null, 2)
  return example.map((line) => JSON.stringify(line)).join('\n')
}

/** Escapes a text for a single line of Markdown. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&]/g, '\\$&')
}

/**
 * The guide for a registered platform, or the generic guide, with examples in one language: the same text for the page, the
 * download and the command line. It contains no keys.
 */
export function writeGuide(
  sections: readonly string[],
  hub: HubValues,
  { platform, language }: { platform: Platform | null; language: GuideLanguage },
): GuideResponse {
  const values = platform && {
    title: platform.platform_title,
    recordType: exampleRecordType(platform),
    examples: makeExamples(platform),
  }
  return {
    success: true,
    platform_name: platform?.platform_name ?? null,
    file_name: nameFile(platform),
    markdown: filterByLanguage(
      fillGuide(sections, hub, values).replace('\n## ', () => describeLanguages(language)),
      language,
    ),
    first_push: platform && firstPushOf(platform, hub),
  }
}

/** The guide without the examples in other languages. */
export function filterByLanguage(markdown: string, language: GuideLanguage): string {
  const headings = new Set<string>(Object.values(GUIDE_LANGUAGES))
  const lines: string[] = []
  let isCode = false
  let isOther = false
  for (const line of markdown.split('\n')) {
    const [, marks, heading = ''] = isCode ? [] : (/^(#{1,4}) (.+)$/.exec(line) ?? [])
    if (marks) {
      const isExample = marks === '####' && headings.has(heading)
      isOther = isExample && heading !== GUIDE_LANGUAGES[language]
    }
    if (line.startsWith('```')) isCode = !isCode
    if (!isOther) lines.push(line)
  }
  return lines.join('\n')
}

/** Names the language of the examples and the others, before the first section. */
function describeLanguages(language: GuideLanguage): string {
  const others = Object.entries(GUIDE_LANGUAGES)
    .filter(([word]) => word !== language)
    .map(([word, name]) => `\`${word}\` (${name})`)
  return `\nThe examples are for ${GUIDE_LANGUAGES[language]}. With \`?language=…\`, or \`--language …\` on the command line, the guide has them for ${others.slice(0, -1).join(', ')} or ${others.at(-1)}.\n\n## `
}

function firstPushOf(
  platform: Platform,
  { hubUrl, tunnelHeader }: HubValues,
): GuideResponse['first_push'] {
  const record = examplePush(platform)
  return record && { hub_url: hubUrl, tunnel_header: tunnelHeader, record }
}

function nameFile(platform: Platform | null): string {
  const name = platform?.platform_name.replaceAll(/[^A-Za-z0-9_-]+/g, '-').slice(0, 60)
  return `integration-guide${name ? `-${name}` : ''}.md`
}

const FOLDER = new URL('../../../../../docs/platform-guide/', import.meta.url)
/** `[label](path)`, also in a list, `[label](README.md#section)`, or `[label](path "the example's name")`. */
const INCLUDE = /^( *)\[([^\]]+)\]\(([\w./-]+)(?:#([\w-]+))?(?: "(\w+)")?\)$/gm

const CODE: Record<string, string> = {
  '.cs': 'csharp',
  '.csproj': 'xml',
  '.mjs': 'js',
  '.py': 'python',
}

/**
 * Reads the sections of the guide from the repository, in order. A line that consists of a link to a file in `examples/`
 * is replaced by that file, so that the guide contains the code that `npm run check:examples` runs.
 */
export function readGuide(): string[] {
  const names = readdirSync(FOLDER).filter((name) => /^\d.*\.md$/.test(name))
  return names.toSorted().map((name) => includeFiles(readText(name), ''))
}

/** @param folder the folder that the links are relative to. */
function includeFiles(text: string, folder: string): string {
  return text.replaceAll(
    INCLUDE,
    (_, indent: string, label: string, link: string, section?: string, name?: string) => {
      const path = posix.join(folder, link)
      const included = readText(path)
      if (section) return includeFiles(sectionOf(included, section), posix.dirname(path))
      const language = CODE[extname(path)] ?? extname(path).slice(1)
      const info = name ? `${language} example=${name}` : language
      const block = `\`${label}\`:\n\n\`\`\`${info}\n${included.trimEnd()}\n\`\`\``
      return block.replaceAll(/^(?=.)/gm, indent)
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
