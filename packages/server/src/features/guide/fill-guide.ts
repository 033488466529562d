/**
 * Puts a hub's own address and words, and a platform's own examples, in the place of those that the
 * guide has in the repository. What stands there is a good guide by itself.
 */
import type { Examples } from './make-examples.ts'

/** What differs from hub to hub. */
export type HubWords = {
  /** Where platforms reach it: `https://hub.example.org`. */
  hubUrl: string
  platformPath: string
  tunnelHeader: string
  /** The version of the packages that it serves, which is its own. */
  version: string
}

/** What differs from platform to platform. */
export type PlatformWords = { title: string; recordType: string | null; examples: Examples }

const EXAMPLE_BLOCK = /^```((?:nd)?json) example=(\w+)\n[\s\S]*?\n```$/gm
/** The word in the paths: in addresses, in Laravel's routes, and as the kit is told it. */
const PATH_WORD = /\/api\/hub\b|(?<=prefix\(')\/hub(?=')|(?<=pathWord: ')hub(?=')/g

/** The whole guide as one Markdown document; for any platform where `platform` is null. */
export function fillGuide(
  sections: readonly string[],
  hub: HubWords,
  platform: PlatformWords | null,
): string {
  const text = sections
    .map((section) => section.trim())
    .join('\n\n')
    .replaceAll('https://hub.example.org', () => hub.hubUrl)
    .replaceAll(PATH_WORD, (path) => path.replace('hub', () => hub.platformPath))
    .replaceAll('-<version>.tgz', () => `-${hub.version}.tgz`)
    .replaceAll('ngrok-skip-browser-warning', () => hub.tunnelHeader)
  if (!platform) {
    const plain = text.replaceAll(/^(```(?:nd)?json) example=\w+$/gm, '$1')
    return `# Integration guide\n\nFor a platform that joins the hub at <${hub.hubUrl}>.\n\n${plain}\n`
  }
  const { title, recordType, examples } = platform
  const own = text
    .replaceAll(/\/records\/employee\b|\brecords\/employee\b/g, (path) =>
      recordType === null ? path : path.replace('employee', () => encodeURIComponent(recordType)),
    )
    .replaceAll(EXAMPLE_BLOCK, (block, format: string, name: string) => {
      const example = examples.get(name)
      return example === undefined ? block : `\`\`\`${format}\n${write(example, format)}\n\`\`\``
    })
  const name = escapeMarkdown(title)
  return `# Integration guide for ${name}\n\nThe hub is at <${hub.hubUrl}>. The examples name the modules and fields of ${name}.\n\n${own}\n`
}

function write(example: unknown, format: string): string {
  if (format === 'json' || !Array.isArray(example)) return JSON.stringify(example, null, 2)
  return example.map((line) => JSON.stringify(line)).join('\n')
}

/** A text that is read as itself, on one line. */
function escapeMarkdown(text: string): string {
  return text.replaceAll(/\s+/g, ' ').replaceAll(/[\\`*_{}[\]<>()#+\-.!|~&]/g, '\\$&')
}
