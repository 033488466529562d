/** The texts that several pages use. */
export const COMMON_TEXTS = {
  // Navigation and headings
  activity: 'Activity',
  integrationGuide: 'Integration guide',
  log: 'Log',
  overview: 'Overview',
  platforms: 'Platforms',
  pulls: 'Pulls',
  pushErrors: 'Push errors',
  pushes: 'Pushes',
  records: 'Records',
  schedule: 'Schedule',
  search: 'Search',
  settings: 'Settings',

  // Actions
  acknowledge: 'Acknowledge',
  back: 'Back',
  cancel: 'Cancel',
  clearFilters: 'Clear filters',
  close: 'Close',
  continue: 'Continue',
  copyHubApiKey: 'Copy hub API key',
  copyKey: 'Copy key',
  done: 'Done',
  download: 'Download',
  export: 'Export',
  goToOverview: 'Go to overview',
  hide: 'Hide',
  keepUnchanged: 'Keep unchanged',
  markAsMissing: 'Mark as missing',
  markAsMissingAction: 'Mark as missing…',
  markAsMissingTitle: 'Mark the records as missing?',
  openInRecords: 'Open in Records',
  pause: 'Pause',
  registerAPlatform: 'Register a platform',
  replay: 'Replay',
  resume: 'Resume',
  reviewRecords: 'Review records',
  setUpTwoFactor: 'Set up two-factor authentication',
  showOlder: 'Show older',
  signIn: 'Sign in',
  signOut: 'Sign out',
  test: 'Test',
  viewRecords: 'View records',

  // Labels
  active: 'Active',
  all: 'All',
  allModules: 'All modules',
  baseUrl: 'Base URL',
  body: 'Body',
  duration: 'Duration',
  eMail: 'E-mail',
  error: 'Error',
  failed: 'Failed',
  filters: 'Filters',
  hubApiKey: 'Hub API key',
  latestSync: 'Latest sync',
  loading: 'Loading',
  missing: 'Missing',
  notListed: 'Not listed',
  missingSince: 'Missing since',
  missingRecords: 'Missing records',
  module: 'Module',
  modules: 'Modules',
  name: 'Name',
  needsReview: 'Needs review',
  never: 'Never',
  new: 'New',
  newCount: 'new',
  noLongerInManifest: 'No longer in the manifest',
  none: 'None',
  olderThanStored: 'older than stored',
  pagination: 'Pagination',
  password: 'Password',
  platform: 'Platform',
  pull: 'Pull',
  reason: 'Reason',
  received: 'Received',
  record: 'Record',
  recordhub: 'Recordhub',
  rejected: 'Rejected',
  rejectedAgainCount: 'rejected again',
  replayed: 'Replayed',
  responseSent: 'Response sent',
  started: 'Started',
  state: 'State',
  status: 'Status',
  thirtyDays: '30 days',
  time: 'Time',
  unchangedCount: 'unchanged',
  updated: 'Updated',
  updatedCount: 'updated',
  warning: 'Warning',
  yourPassword: 'Your password',

  // Messages
  exportStarted: 'The export has started. Your browser shows its progress.',
  noActivityYet: 'No activity yet',
  noMatchingPlatforms: 'No matching platforms',
  noModulesRegistered: 'No modules registered',
  noPlatformsRegistered: 'No platforms registered',
  noPullsYet: 'No pulls yet',
  noPushErrors: 'No push errors',
  noRecordsYet: 'No records yet',
  noRecordsYetHint: 'Records appear here when a platform pushes them or a pull receives them.',
  noResults: 'No results',
  passwordsDoNotMatch: 'The passwords do not match',
  requiresOperatorRole: 'Requires the operator role.',

  notSearchableYet: (are: string) => `${are} not searchable yet.`,
  pullLink: (pullId: number) => `Pull ${pullId}`,
  recordLink: (recordId: number) => `Record ${recordId}`,
}

/** The texts of the shared components and of the frame around each page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  viewPushErrors: 'View push errors',

  somethingWentWrong: 'Something went wrong',

  copied: 'Copied',

  tryAgain: 'Try again',
  requestId: (requestId: string) => `Request ID: ${requestId}`,

  noModule: 'No module',
  notRegistered: (moduleName: string) => `${moduleName} (not registered)`,
  theHub: 'the hub',

  pageNotFound: 'Page not found',
  pageDoesNotExist: 'This page does not exist',
  pageDoesNotExistHint: 'Check the address. The content may have been deleted.',

  firstPage: 'First page',
  previous: 'Previous',
  next: 'Next',

  hubUnreachable: 'Could not reach the hub. Check your connection and try again.',
  hubReturnedStatus: (status: number) => `The hub returned status ${status}. Try again.`,
  unexpectedResponse: 'The hub sent an unexpected response. Try again.',

  couldNotLoadPage: 'Could not load this page',

  signInWithPasskey: 'Sign in with a passkey',
  signInWith: (name: string) => `Sign in with ${name}`,
  noPasskeySelected: 'No passkey was selected.',
  passkeyCancelled: 'The passkey sign-in was cancelled.',
  providerUnreachable:
    'The single sign-on provider cannot be reached. Try again, or contact an admin.',
  singleSignOnFailed: 'Single sign-on failed. Try again.',
  tooManyAttempts: (wait: string) => `Too many attempts. Wait ${wait} and try again.`,
  signInInOtherTab: 'Sign in in the other tab, then return to this one.',
  or: 'or',
  enterAppCode: 'Enter the code shown by your authenticator app.',
  enterRecoveryCode: 'Enter one of your recovery codes. Each code works once.',
  code: 'Code',
  recoveryCode: 'Recovery code',
  useRecoveryCode: 'Use a recovery code',
  useAuthenticatorApp: 'Use the authenticator app',

  showLess: 'Show less',
  showAllCharacters: (count: string) => `Show all ${count} characters`,
  showMoreTotal: (count: string) => `Show more (${count} in total)`,

  colorSchemeSystem: 'Color scheme: system',
  colorSchemeLight: 'Color scheme: light',
  colorSchemeDark: 'Color scheme: dark',
  change: (label: string) => `${label}. Change`,

  ctrlK: 'Ctrl K',

  pages: 'Pages',
  more: 'More',
  searchEverywhereFor: (query: string) => `Search everywhere for “${query}”`,
  searching: 'Searching…',
  pagesPlatformsRecords: 'Pages, platforms, records',
  commandSearchPlaceholder: 'Pages, platforms, records…',

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

  yourAccount: 'Your account',

  pullRunningReceived: (percent: number, records: string) =>
    `Pull running: ${percent} %, ${records} received`,

  yourSessionHasEnded: 'Your session has ended',
  sessionEndedHint: 'Sign in again to continue where you left off. Your input is not lost.',

  skipToContent: 'Skip to content',
  closeNavigation: 'Close navigation',
  openNavigation: 'Open navigation',
}

/** The messages for error codes in the URL after a failed single sign-on. */
export const SINGLE_SIGN_ON_ERRORS: Readonly<Record<string, string>> = {
  not_invited:
    'Your e-mail address has not been invited to this hub. Ask an admin for an invitation.',
  email_not_verified: 'The provider has not verified your e-mail address. Verify it there first.',
  account_not_linked: 'The provider has not verified your e-mail address. Verify it there first.',
  operator_disabled: 'Your account is disabled. Ask an admin of this hub.',
  access_denied: 'The provider denied access.',
  sign_on_unavailable: 'The single sign-on provider does not respond. Try again in a moment.',
  sign_on_issuer_wrong:
    'The single sign-on provider is not the one that this hub expects. Ask an admin to check the log.',
}

/** The messages for error codes of a rejected sign-in. */
export const SIGN_IN_ERRORS: Readonly<Record<string, string>> = {
  invalid_email_or_password: 'Incorrect e-mail or password.',
  operator_disabled: 'Your account is disabled. Ask an admin of this hub.',
  invalid_code: 'Incorrect code. Wait for the next one and try again.',
  invalid_backup_code: 'Incorrect recovery code, or it was already used.',
  code_used: 'This code was already used. Sign in again with the next one.',
  invalid_two_factor_cookie: 'The sign-in has expired. Sign in again.',
  too_many_attempts_request_new_code: 'Too many incorrect codes. Sign in again.',
  passkey_not_found: 'This passkey is not registered with the hub. It may have been removed.',
  authentication_failed: 'The passkey was not accepted. Try again.',
}
