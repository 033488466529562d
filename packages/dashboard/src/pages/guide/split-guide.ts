/** Splits the Markdown of the guide into sections. */
import { type GuideLanguage, isGuideLanguage } from '@recordhub/protocol/constants'

type Heading = { id: string; title: string }
type GuideSection = Heading & { markdown: string; parts: Heading[] }

export function isLanguage(name: string | null | undefined): name is GuideLanguage {
  return name !== undefined && name !== null && isGuideLanguage(name)
}

/** The sections of the guide with their parts. What is before the first one, the title of the page and the choices above it say. */
export function splitGuide(markdown: string): GuideSection[] {
  const sections: GuideSection[] = []
  let isCode = false
  for (const line of markdown.split('\n')) {
    const [, level = '', heading = ''] = isCode ? [] : (/^(#{1,3}) (.+)$/.exec(line) ?? [])
    if (/^\s*```/.test(line)) isCode = !isCode
    const section = sections.at(-1)
    if (level === '##') {
      sections.push({ id: headingId(heading), title: heading, markdown: '', parts: [] })
      continue
    }
    if (level === '###') section?.parts.push({ id: headingId(heading), title: heading })
    if (section) section.markdown += `${line}\n`
  }
  return sections
}

/** Gives a code block the name of its file, which is the paragraph before it, as its meta data. */
export function nameCodeBlocks(markdown: string): string {
  return markdown.replaceAll(/^( *)`([^`\n]+)`:\n\n *```(\w+)/gm, '$1```$3 $2')
}

/**
 * The parts of a code block. At odd indexes: what must be replaced, which are placeholders, keys, and the comments that
 * say so.
 */
export function splitPlaceholders(code: string): string[] {
  return code.split(/(<[a-z][\w ,-]*>|\$(?:HUB|SOURCE)_API_KEY|\b[Rr]eplace (?:with )?[^\n*]+)/)
}

/** The id of a heading: `What you build` → `what-you-build`. */
export function headingId(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '')
}
