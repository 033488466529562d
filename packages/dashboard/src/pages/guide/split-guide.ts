/** Splits the Markdown of the guide into sections. */
import { type GuideLanguage, isGuideLanguage } from '@recordhub/protocol/constants'

type Heading = { id: string; title: string }
type GuideSection = Heading & { markdown: string; parts: Heading[] }
type SplitGuide = { lead: string; sections: GuideSection[] }

export function isLanguage(name: string | null | undefined): name is GuideLanguage {
  return name !== undefined && name !== null && isGuideLanguage(name)
}

/** Splits the guide into the text before the first section, and the sections with their parts. Its title is that of the page. */
export function splitGuide(markdown: string): SplitGuide {
  const guide: SplitGuide = { lead: '', sections: [] }
  let isCode = false
  for (const line of markdown.split('\n')) {
    const [, level = '', heading = ''] = isCode ? [] : (/^(#{1,3}) (.+)$/.exec(line) ?? [])
    if (/^\s*```/.test(line)) isCode = !isCode
    const section = guide.sections.at(-1)
    if (level === '#') continue
    if (level === '##') {
      guide.sections.push({ id: headingId(heading), title: heading, markdown: '', parts: [] })
      continue
    }
    if (level === '###') section?.parts.push({ id: headingId(heading), title: heading })
    if (section) section.markdown += `${line}\n`
    else guide.lead += `${line}\n`
  }
  return { ...guide, lead: guide.lead.trim() }
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
