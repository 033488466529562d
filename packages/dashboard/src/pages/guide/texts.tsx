import type { ReactNode } from 'react'

/** The texts of the integration guide page. */
export const TEXTS = {
  copyCode: 'Copy code',

  sectionsGuide: 'Sections of the guide',

  integrationGuide: 'Integration guide',
  apiReference: 'API reference',
  guideDescription: (link: ReactNode) => (
    <>
      For the developers of a platform. It contains no API keys. To read data from the hub, see the{' '}
      {link}.
    </>
  ),
  platform: 'Platform',
  anyPlatform: 'Any platform',
  couldNotLoadPlatforms: 'Could not load the platforms',
  copyAsMarkdown: 'Copy as Markdown',
  download: 'Download',
  print: 'Print',
  contents: 'Contents',
  onThisPage: 'On this page',
  loading: 'Loading',

  languageExample: 'Language of the example',
}
