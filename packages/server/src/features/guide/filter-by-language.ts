import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'

export type GuideLanguage = keyof typeof GUIDE_LANGUAGES

export function isGuideLanguage(text: string): text is GuideLanguage {
  return Object.hasOwn(GUIDE_LANGUAGES, text)
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
