import { Tabs } from '@mantine/core'
import { GUIDE_LANGUAGES } from '@recordhub/protocol/constants'
import classes from './guide.module.css'
import { GuideMarkdown } from './guide-markdown.tsx'
import { type GuideExample, isLanguage, type Language } from './split-guide.ts'
import { TEXTS } from './texts.tsx'

/** An example in several languages. The selected language applies to all examples of the page. */
export function LanguageTabs({
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
