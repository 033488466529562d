import { GUIDE_LANGUAGES, type GuideLanguage } from '@recordhub/protocol/constants'

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
