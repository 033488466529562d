import { Box, Divider, Title } from '@mantine/core'
import classes from './guide.module.css'
import { GuideMarkdown } from './guide-markdown.tsx'
import { LanguageTabs } from './language-tabs.tsx'
import type { GuidePart, GuideSection, Language, SplitGuide } from './split-guide.ts'

type Choice = { language: Language; onChoose: (language: Language) => void }

/** The content of the guide. */
export function GuideDocument({ guide, ...choice }: { guide: SplitGuide } & Choice) {
  return (
    <Box className={classes['document']}>
      <GuideMarkdown markdown={guide.lead} />
      {guide.sections.map((section) => (
        <Section key={section.id} section={section} {...choice} />
      ))}
    </Box>
  )
}

function Section({ section, ...choice }: { section: GuideSection } & Choice) {
  return (
    <section aria-labelledby={section.id}>
      <Divider mt="xl" mb="lg" />
      <Title id={section.id} order={2} fz="h3" tabIndex={-1} className={classes['heading']}>
        {section.title}
      </Title>
      {section.parts.map((part) => (
        <Part key={part.key} part={part} {...choice} />
      ))}
    </section>
  )
}

function Part({ part, ...choice }: { part: GuidePart } & Choice) {
  return part.kind === 'text' ? (
    <GuideMarkdown markdown={part.markdown} />
  ) : (
    <LanguageTabs examples={part.examples} {...choice} />
  )
}
