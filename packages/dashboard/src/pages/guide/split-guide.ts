/** Splits the Markdown of the guide into sections and examples. */
import { GUIDE_LANGUAGES, type GuideLanguage, isGuideLanguage } from '@recordhub/protocol/constants'

export type GuidePart =
  | { key: string; kind: 'text'; markdown: string }
  | { key: string; kind: 'example'; language: GuideLanguage; markdown: string }
export type GuideSection = { id: string; title: string; parts: GuidePart[] }
export type SplitGuide = { title: string; lead: string; sections: GuideSection[] }

export function isLanguage(name: string | null | undefined): name is GuideLanguage {
  return name !== undefined && name !== null && isGuideLanguage(name)
}

/**
 * Splits the guide into its title, the text before the first section, and the sections. A fourth-level heading with the
 * name of a language starts an example.
 */
export function splitGuide(markdown: string): SplitGuide {
  const guide: SplitGuide = { title: '', lead: '', sections: [] }
  let isCode = false
  for (const line of markdown.split('\n')) {
    const [, level = '', heading = ''] = isCode ? [] : (/^(#{1,4}) (.+)$/.exec(line) ?? [])
    if (/^\s*```/.test(line)) isCode = !isCode
    const section = guide.sections.at(-1)
    if (level === '#') guide.title = heading.replaceAll(/\\([\W_])/g, '$1')
    else if (level === '##') {
      guide.sections.push({ id: headingId(heading), title: heading, parts: [] })
    } else if (!section) guide.lead += `${line}\n`
    else addLine(section.parts, line, { level, heading })
  }
  return { ...guide, lead: guide.lead.trim() }
}

function addLine(parts: GuidePart[], line: string, head: { level: string; heading: string }): void {
  const last = parts.at(-1)
  const key = `part ${parts.length}`
  const language = head.level === '####' ? languageOf(head.heading) : undefined
  if (language) parts.push({ key, kind: 'example', language, markdown: '' })
  else if (last?.kind === 'text' || (last && head.level === '')) last.markdown += `${line}\n`
  else parts.push({ key, kind: 'text', markdown: `${line}\n` })
}

function languageOf(heading: string): GuideLanguage | undefined {
  return Object.keys(GUIDE_LANGUAGES)
    .filter(isGuideLanguage)
    .find((language) => GUIDE_LANGUAGES[language] === heading)
}

/** The id of a heading: `What you build` → `what-you-build`. */
export function headingId(title: string): string {
  return title.toLowerCase().replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '')
}
