/** The texts of the shared components and of the frame around each page. */
export const TEXTS = {
  cancel: 'Cancel',

  reviewRecords: 'Review records',
  viewPushErrors: 'View push errors',

  somethingWentWrong: 'Something went wrong',

  copied: 'Copied',

  tryAgain: 'Try again',
  requestId: (requestId: string) => `Request ID: ${requestId}`,

  noModule: 'No module',

  pageNotFound: 'Page not found',
  pageDoesNotExist: 'This page does not exist',
  goToOverview: 'Go to overview',
  pageDoesNotExistHint: 'Check the address. The content may have been deleted.',

  firstPage: 'First page',
  previous: 'Previous',
  next: 'Next',

  couldNotLoadPage: 'Could not load this page',

  loading: 'Loading',

  pagination: 'Pagination',

  yourPassword: 'Your password',

  signInWithPasskey: 'Sign in with a passkey',
  signInWith: (name: string) => `Sign in with ${name}`,
  signInInOtherTab: 'Sign in in the other tab, then return to this one.',

  eMail: 'E-mail',
  password: 'Password',
  signIn: 'Sign in',
  enterAppCode: 'Enter the code shown by your authenticator app.',
  enterRecoveryCode: 'Enter one of your recovery codes. Each code works once.',
  code: 'Code',
  recoveryCode: 'Recovery code',
  continue: 'Continue',
  useRecoveryCode: 'Use a recovery code',
  useAuthenticatorApp: 'Use the authenticator app',
  back: 'Back',

  showLess: 'Show less',
  showAllCharacters: (count: string) => `Show all ${count} characters`,
  showMoreTotal: (count: string) => `Show more (${count} in total)`,

  colorSchemeSystem: 'Color scheme: system',
  colorSchemeLight: 'Color scheme: light',
  colorSchemeDark: 'Color scheme: dark',
  change: (label: string) => `${label}. Change`,

  ctrlK: 'Ctrl K',
  search: 'Search',

  pages: 'Pages',
  platforms: 'Platforms',
  records: 'Records',
  more: 'More',
  searchEverywhereFor: (query: string) => `Search everywhere for “${query}”`,
  searching: 'Searching…',
  noResults: 'No results',
  pagesPlatformsRecords: 'Pages, platforms, records',

  connecting: 'Connecting…',
  connectingHint: 'Waiting for the first response of the hub',
  autoRefresh10S: 'Auto-refresh: 10 s',
  refreshesEvery10S: 'Refreshes every 10 s',
  live: 'Live',
  liveHint: 'Changes appear as they happen. Statistics refresh every 10 s',
  offline: 'Offline',
  offlineHint: 'Could not reach the hub. Retrying every 10 s',
  rateLimited: 'Rate limited',
  rateLimitedHint: 'You have reached the rate limit. Retrying every 10 s',
  retrying: 'Retrying',
  retryingHint: 'The hub returned an error. Retrying every 10 s',

  overview: 'Overview',
  pulls: 'Pulls',
  activity: 'Activity',
  integrationGuide: 'Integration guide',
  settings: 'Settings',

  yourAccount: 'Your account',
  signOut: 'Sign out',

  pullRunningReceived: (percent: number, records: string) =>
    `Pull running: ${percent} %, ${records} received`,

  yourSessionHasEnded: 'Your session has ended',
  sessionEndedHint: 'Sign in again to continue where you left off. Your input is not lost.',

  skipToContent: 'Skip to content',
  closeNavigation: 'Close navigation',
  openNavigation: 'Open navigation',
  recordhub: 'Recordhub',
}
