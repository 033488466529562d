import { Box, Divider, Tabs, Title } from '@mantine/core'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import classes from './guide.module.css'
import { GuideMarkdown } from './guide-markdown.tsx'
import {
  type GuideExample,
  type GuidePart,
  type GuideSection,
  isLanguage,
  type Language,
  type SplitGuide,
} from './split-guide.ts'
import { TEXTS } from './texts.tsx'

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

/** An example in several languages. The selected language applies to all examples of the page. */
function LanguageTabs({
  examples,
  language,
  onChoose,
}: {
  examples: GuideExample[]
  language: Language
  onChoose: (language: Language) => void
}) {
  return (
    <Tabs
      value={language}
      onChange={(value) => isLanguage(value) && onChoose(value)}
      keepMounted={false}
      my="md"
      variant="pills"
      classNames={{ tab: classes['language'] ?? '' }}
    >
      <Tabs.List aria-label={TEXTS.languageExample}>
        {examples.map((example) => (
          <Tabs.Tab key={example.language} value={example.language}>
            {GUIDE_LANGUAGES[example.language]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {examples.map((example) => (
        <Tabs.Panel key={example.language} value={example.language} pt="xs">
          <GuideMarkdown markdown={example.markdown} />
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
