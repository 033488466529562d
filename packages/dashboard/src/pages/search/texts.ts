import { COMMON_TEXTS } from '../../texts.ts'
/** The texts of the Search page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  inTheHub: 'In the hub',
  noResponse: 'No response',
  searching: 'Searching',
  noResultsSoFar: 'No results so far',

  noSearchEndpoint: 'No search endpoint',
  unknownFormat: 'Unknown format',
  unknownFormatHint:
    'The hub found no records in this response, so the response is shown as sent by the platform.',
  responseOf: (displayTitle: string) => `Response of ${displayTitle}`,
  responded: (responded: number, platforms: string) => `${responded} of ${platforms} responded`,
  searchInterrupted: (platforms: string) => `The search was interrupted: ${platforms}.`,
  searchStarted: 'Searching…',
  searchProgress: 'Searching: ',
  noActivePlatforms: 'No active platforms to search.',
  inUnknownFormat: (responses: string) => `${responses} in an unknown format`,
  found: (found: number) => `${found} found`,
  findHub: 'Find in the hub',
  firstShown: (records: string, count: number) =>
    `The platform found ${records}. The first ${count} are shown.`,
  noName: 'No name',
  searchDescription: 'Search the records of the hub and all platforms with a search endpoint',
  keywordOrPerson: 'Keyword or person',
  queryPlaceholder: 'Name, reference or keyword',
  searchEverywhere: 'Search everywhere',
  searchEverywhereHint:
    'Enter a keyword or the name of a person. Results of the hub appear immediately, results of the platforms as they arrive. The hub finds the beginnings of words in all values, and any part of names and references.',
  interruptedHint: 'The response was interrupted. The results so far are below.',
  searchAgain: 'Search again',

  showMore: (hidden: number) => `Show ${hidden} more`,
}
