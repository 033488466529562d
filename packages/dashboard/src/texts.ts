/** The texts that several pages use. */
export const COMMON_TEXTS = {
  // Navigation and headings
  inbox: 'Inbox',
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
  sourceBaseUrl: 'Source Base URL',
  body: 'Body',
  duration: 'Duration',
  eMail: 'E-mail',
  error: 'Error',
  failed: 'Failed',
  filters: 'Filters',
  hubApiKey: 'Hub API key',
  latestSync: 'Latest Sync',
  loading: 'Loading',
  missing: 'Missing',
  notListed: 'Not listed',
  acceptedExceptions: 'Accepted exceptions',
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
  acceptedException: 'Accepted',
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

  platformWasRemoved: (title: string) => `The platform ${title} was removed`,
  removedBy: 'Removed by',
  recordsBeingDeleted: 'Its records are being deleted.',
  recordsDeleted: 'Its records were deleted.',
  allPlatformsLink: 'All platforms',

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

  noPasskeySelected: 'No passkey was selected.',
  passkeyCancelled: 'The passkey sign-in was cancelled.',
  providerUnreachable:
    'The single sign-on provider cannot be reached. Try again, or contact an admin.',
  singleSignOnFailed: 'Single sign-on failed. Try again.',
  tooManyAttempts: (wait: string) => `Too many attempts. Wait ${wait} and try again.`,
  or: 'or',

  showLess: 'Show less',
  showAllCharacters: (count: string) => `Show all ${count} characters`,
  showMoreTotal: (count: string) => `Show more (${count} in total)`,
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
  invalid_email_or_password: 'Wrong e-mail or password.',
  operator_disabled: 'Your account is disabled. Ask an admin of this hub.',
  invalid_code: 'Wrong code. Wait for the next one and try again.',
  invalid_backup_code: 'Wrong recovery code, or it was already used.',
  code_used: 'This code was already used. Sign in again with the next one.',
  invalid_two_factor_cookie: 'The sign-in has expired. Sign in again.',
  too_many_attempts_request_new_code: 'Too many wrong codes. Sign in again.',
  passkey_not_found: 'This passkey is not registered with the hub. It may have been removed.',
  authentication_failed: 'The passkey was not accepted. Try again.',
}
