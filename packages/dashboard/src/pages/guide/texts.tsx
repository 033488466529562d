import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the integration guide page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  copyCode: 'Copy code',

  sectionsGuide: 'Sections of the guide',
  apiReference: 'API reference',
  guideDescription: (link: ReactNode) => (
    <>
      For the developers of a platform. It contains no API keys. To read data from the hub, see the{' '}
      {link}.
    </>
  ),
  anyPlatform: 'Any platform',
  languageOfExamples: 'Language of the examples',
  couldNotLoadPlatforms: 'Could not load the platforms',
  copyAsMarkdown: 'Copy as Markdown',
  print: 'Print',
  contents: 'Contents',
  onThisPage: 'On this page',

  languageExample: 'Language of the example',
}
