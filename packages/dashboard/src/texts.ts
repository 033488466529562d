/** The texts that several pages use. */
export const TEXTS = {
  // Navigation and headings
  inbox: 'Inbox',
  log: 'Log',
  overview: 'Overview',
  platforms: 'Platforms',
  pulls: 'Pulls',
  pushErrors: 'Push errors',
  records: 'Records',
  schedule: 'Schedule',
  search: 'Search',
  settings: 'Settings',

  // Actions
  acknowledge: 'Acknowledge',
  cancel: 'Cancel',
  close: 'Close',
  continue: 'Continue',
  copyKey: 'Copy key',
  done: 'Done',
  download: 'Download',
  goToOverview: 'Go to overview',
  pause: 'Pause',
  registerAPlatform: 'Register a platform',
  replay: 'Replay',
  resume: 'Resume',
  reviewRecords: 'Review records',
  setUpTwoFactor: 'Set up two-factor authentication',
  signIn: 'Sign in',
  signOut: 'Sign out',
  test: 'Test',
  viewRecords: 'View records',

  // Labels
  active: 'Active',
  all: 'All',
  sourceBaseUrl: 'Source Base URL',
  body: 'Body',
  eMail: 'E-mail',
  filters: 'Filters',
  hubApiKey: 'Hub API key',
  latestSync: 'Latest Sync',
  loading: 'Loading',
  notListed: 'Not listed',
  module: 'Module',
  modules: 'Modules',
  name: 'Name',
  needsReview: 'Needs review',
  never: 'Never',
  new: 'New',
  noLongerInManifest: 'No longer in the manifest',
  none: 'None',
  pagination: 'Pagination',
  password: 'Password',
  platform: 'Platform',
  pull: 'Pull',
  reason: 'Reason',
  received: 'Received',
  recordhub: 'Recordhub',
  rejected: 'Rejected',
  replayed: 'Replayed',
  acceptedException: 'Accepted',
  responseSent: 'Response sent',
  started: 'Started',
  state: 'State',
  status: 'Status',
  time: 'Time',
  updated: 'Updated',
  noMatchingPlatforms: 'No matching platforms',
  noModulesRegistered: 'No modules registered',
  noPlatformsRegistered: 'No platforms registered',
  noPullsYet: 'No pulls yet',
  noPushErrors: 'No push errors',
  passwordsDoNotMatch: 'The passwords do not match',
  requiresOperatorRole: 'Requires the operator role.',

  pullLink: (pullId: number) => `Pull ${pullId}`,

  // Rejected pushes
  cause: 'Cause',
  dismiss: 'Dismiss',
  dismissed: 'Dismissed',
  groupedByCause: 'Grouped by cause',
  notReplayed: 'Not replayed',
  recordsReview: 'Records of this review',
  selected: 'Selected',
  showOnlyThese: 'Show only these',

  // Platforms
  checkConformance: 'Check conformance',
  checks: 'Checks',
  deleteRecords: 'Delete records',
  nothingWasSaved: 'Nothing was saved',
  passed: 'Passed',
  platformName: 'Platform Name',
  testConnection: 'Test Connection',

  // The frame
  somethingWentWrong: 'Something went wrong',

  copied: 'Copied',

  hubUnreachable: 'Could not reach the hub. Check your connection and try again.',
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
