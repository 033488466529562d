import { Box, Divider, Skeleton, Tabs, Title } from '@mantine/core'
import { GUIDE_LANGUAGES, type GuideLanguage } from '@recordhub/protocol/constants'
import classes from './guide.module.css'
import { GuideMarkdown } from './guide-markdown.tsx'
import { type GuidePart, type GuideSection, isLanguage, type SplitGuide } from './split-guide.ts'
import { TEXTS } from './texts.tsx'

type Choice = { language: GuideLanguage; onChoose: (language: GuideLanguage) => void }

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
    <LanguageTabs example={part} {...choice} />
  )
}

/** An example, and the languages of the guide. The selected language applies to all examples of the page. */
function LanguageTabs({
  example,
  language,
  onChoose,
}: { example: Extract<GuidePart, { kind: 'example' }> } & Choice) {
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
        {Object.entries(GUIDE_LANGUAGES).map(([word, name]) => (
          <Tabs.Tab key={word} value={word}>
            {name}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {Object.keys(GUIDE_LANGUAGES).map((word) => (
        <Tabs.Panel key={word} value={word} pt="xs">
          {/* Until the guide in another language has arrived, its example is missing. */}
          {word === example.language ? (
            <GuideMarkdown markdown={example.markdown} />
          ) : (
            <Skeleton height={320} aria-label={TEXTS.loading} />
          )}
        </Tabs.Panel>
      ))}
    </Tabs>
  )
}
