import { Code } from '@mantine/core'
import type { ReactNode } from 'react'
import { COMMON_TEXTS } from '../../texts.ts'

/** The texts of the Settings page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  recordhubVersion: (version: string) => `Recordhub ${version}`,
  healthy: 'Healthy',
  databaseNotWritable: 'Database not writable',
  aboutThisHub: 'About this hub',
  database: 'Database',
  dataSize: 'Data size',
  freeDiskSpace: 'Free disk space',
  managedDatabaseServer: 'Managed by the database server',
  node: 'Node',
  uptime: 'Uptime',
  uptimeSince: (duration: string, time: ReactNode) => (
    <>
      {duration}, since {time}
    </>
  ),
  timeZone: 'Time zone',
  broadcasting: 'Broadcasting',
  on: 'On',
  broadcastingOff: 'Off: pages refresh every 10 s',
  runtime: 'Runtime',
  licences: 'Licences',
  thirdPartyLicences: 'Third-party licences',

  backups: 'Backups',
  backupsDescription:
    'A backup contains all data of the hub, but not its secret: store HUB_SECRET or the file recordhub.secret separately. To restore a backup, stop the hub and run “recordhub restore <file>”.',
  backUpNow: 'Back up now',
  backup: 'Backup',
  backupFiles: 'Backup files',
  drillDescription:
    'A restore test unpacks a backup beside the database, compares its records with the hub, and deletes the copy.',
  noBackupsYet: 'No backups yet',
  noBackupsYetHint: 'Start a backup, or set HUB_BACKUP_SCHEDULE.',
  noBackupSchedule: 'Off. Set HUB_BACKUP_SCHEDULE to make backups regularly.',
  nextBackup: 'Next backup',
  scheduledBackupsKept: 'Scheduled backups to keep',
  folder: 'Folder',
  encryption: 'Encryption',
  encrypted: 'Encrypted',
  encryptedWithPassphrase: 'New backups are encrypted with a passphrase',
  notEncrypted: 'Off. Set HUB_BACKUP_PASSPHRASE_FILE to encrypt new backups.',
  secretFingerprint: 'Fingerprint of the hub secret',
  size: 'Size',
  content: 'Content',
  actions: 'Actions',
  download: 'Download',
  downloadBackup: (file: string) => `Download ${file}`,
  testRestore: 'Test restore',
  drillBackup: (file: string) => `Test restore of ${file}`,
  restoreDrill: 'Restore test',
  backupPhases: {
    copy: 'Copying the database',
    check: 'Checking the copy',
    write: 'Writing the backup',
    verify: 'Verifying the backup',
    unpack: 'Unpacking the backup',
    compare: 'Comparing the records',
  },
  backupFailed: 'The backup failed',
  drillFailed: 'The restore test failed',
  backupComplete: 'Backup complete',
  backupVerified: (file: string, time: ReactNode) => (
    <>
      {file} was written and verified at {time}.
    </>
  ),
  drillPassed: 'The backup can be restored',
  drillFoundDifferences: 'The restored copy differs from the hub',
  drillOf: (file: string, time: ReactNode) => (
    <>
      Restore test of {file} at {time}
    </>
  ),
  recordsInBackup: 'Records in the backup',
  equalRecords: 'Equal in the hub',
  changedSince: 'Changed after the backup',
  deletedSince: 'Deleted after the backup',
  differentRecords: 'Different',
  absentRecords: 'Missing from the backup',

  singleSignOn: 'Single sign-on',
  twoFactor: 'Two-factor authentication',
  alertsOnly: 'Alerts: read alerts only, such as for a feed reader',
  hubKeysOnly: 'Hub keys: reveal and rotate hub API keys only',
  accessOnly: 'Access: manage tokens, invitations and operators only',
  anotherAdminChangesRole: 'Another admin can change your role.',
  adminChangesRole: 'An admin can change your role.',

  enterAName: 'Enter a name',
  passkeyAdded: 'Passkey added.',
  addAPasskey: 'Add a passkey',
  passkeyNameHint: 'Shown in the list of passkeys',
  add: 'Add',
  passkeyExists: 'This device already has a passkey for this hub.',
  noPasskeyCreated: 'No passkey was created. Try again, or use another device.',

  sessions: 'Sessions',
  sessionsDescription:
    'Where you are signed in. If you do not recognise a session, end it and change your password.',
  endAllOthersTitle: 'End all other sessions?',
  endAllOthersMessage: 'You stay signed in here and are signed out everywhere else.',
  endAllOthers: 'End all others',
  otherSessionsEnded: 'All other sessions have ended.',
  sessionHasEnded: 'The session has ended.',

  passkeys: 'Passkeys',
  passkeysDescription:
    'Sign in with the fingerprint, face or PIN of a device. A passkey replaces the password and the second factor.',
  passkeysUnsupported: 'This browser does not support passkeys.',
  passkeysRequireHttps:
    'Passkeys require that you open the hub by https under the address in HUB_PUBLIC_URL.',
  noPasskeysYet: 'You have no passkeys yet.',
  inPasswordManager: 'In a password manager',
  onOneDevice: 'On one device',
  passkeyAddedAt: (storedIn: string, time: ReactNode) => (
    <>
      {storedIn} · added {time}
    </>
  ),
  remove: 'Remove',
  removeThePasskey: (name: string) => `Remove the passkey ${name}`,
  removeAPasskey: 'Remove a passkey',
  passkeyRemoved: 'Passkey removed.',
  removeAPasskeyHint: (name: string) =>
    `“${name}” can no longer be used. Delete it from your device or password manager as well.`,
  passwordChanged: 'The password was changed.',
  endSessions: 'End all my other sessions',
  revokeTokens: 'Revoke all my API tokens',
  currentPassword: 'Current password',
  newPassword: 'New password',
  confirmNewPassword: 'Confirm new password',
  changePassword: 'Change password',

  saveRecoveryCodes: 'Save these recovery codes',
  recoveryCodes: 'recovery codes',
  saveRecoveryCodesHint:
    'Each code works once if you do not have your authenticator app. The codes are not shown again. Save them in your password manager.',

  twoFactorIsOff: 'Two-factor authentication is off.',
  twoFactorDescription:
    'A code of an authenticator app is required after the password, so that the password alone does not give access.',
  off: 'Off',
  twoFactorIsOn: 'Two-factor authentication is on.',
  newRecoveryCodes: 'New recovery codes',
  turnOff: 'Turn off',
  managedByProvider: 'Managed by your single sign-on provider',
  createNewCodes: 'Create new codes',
  newRecoveryCodesMessage: 'Your current recovery codes will no longer work.',
  turnOffTwoFactorTitle: 'Turn off two-factor authentication',
  turnOffTwoFactorMessage:
    'You will sign in with your password only. Your recovery codes will no longer work.',

  qrCodeLabel: 'QR code for your authenticator app',
  scanQrCode: 'Scan the QR code with an authenticator app, or enter this key:',
  currentCode: 'Current code',
  turnOn: 'Turn on',

  invitationFor: (email: string) => `Invitation for ${email}`,
  invitationLink: 'Invitation link',
  invitationLinkHint:
    'The link was sent by e-mail. You can also share it yourself. It is not shown again.',
  shareLinkHint: 'Share the link over a private channel. It works once, and is not shown again.',
  emailFailed: (mailProblem: string) =>
    `The e-mail could not be sent: ${mailProblem}. Share the link yourself.`,
  inviteAnOperator: 'Invite an operator',
  inviteHint: 'Creates a one-time link with which the new operator chooses a name and a password.',
  role: 'Role',
  linkExpiresAfterDays: 'Link expires after (days)',
  createLink: 'Create link',

  withdrawTitle: 'Withdraw this invitation?',
  withdrawMessage: (email: string) => `The link of ${email} will no longer work.`,
  withdraw: 'Withdraw',
  invitationWithdrawn: 'Invitation withdrawn.',
  invitations: 'Invitations',
  invitationsDescription:
    'Not accepted yet. If a link was lost, invite again: the old link no longer works.',
  expired: 'Expired',
  invitedByExpires: (operator: ReactNode, time: ReactNode) => (
    <>
      Invited by {operator} · expires {time}
    </>
  ),
  withdrawInvitation: (email: string) => `Withdraw the invitation of ${email}`,

  changeRoleTitle: (name: string, role: string) => `Change the role of ${name} to ${role}?`,
  changeRole: 'Change role',
  enableTitle: (name: string) => `Enable ${name}?`,
  enabledDone: (name: string) => `${name} can sign in again.`,
  disableTitle: (name: string) => `Disable ${name}?`,
  disableMessage:
    'All sessions end immediately, and API tokens no longer work. Nothing is deleted.',
  disable: 'Disable',
  isDisabled: (name: string) => `${name} is disabled.`,
  endAllSessionsTitle: (name: string) => `Sign ${name} out everywhere?`,
  endAllSessionsMessage: 'All sessions of this operator end immediately.',
  endAllSessions: 'End all sessions',
  allSessionsHaveEnded: 'All sessions have ended.',
  resetTwoFactorTitle: (name: string) => `Reset two-factor authentication of ${name}?`,
  resetTwoFactorMessage:
    'Use this if the operator has lost the authenticator app and recovery codes, or the device with the passkeys. This deletes them and ends all sessions. The operator can then set up a new second factor with the password alone.',
  reset: 'Reset',
  twoFactorWasReset: 'Two-factor authentication was reset.',
  removeTitle: (name: string) => `Remove ${name}?`,
  removeMessage:
    'This deletes the account with its sessions, passkeys and API tokens. Its actions stay in the audit log.',
  wasRemoved: (name: string) => `${name} was removed.`,
  resetTwoFactor: 'Reset two-factor authentication',
  enable: 'Enable',

  roleWasChanged: 'The role was changed.',
  disabled: 'Disabled',
  createdLastSeen: (time: ReactNode, lastSeen: ReactNode) => (
    <>
      Created {time} · last seen {lastSeen}
    </>
  ),
  appliesFromNextRequest: 'Applies from the next request on.',
  ownAccountHint:
    'This is your own account. Change your password, two-factor authentication and passkeys under Account.',

  operators: 'Operators',
  operatorsDescription:
    'Viewers can read. Operators can work with platforms, pulls and records. Admins have full access.',
  invite: 'Invite',

  operator: 'Operator',
  signInMethods: 'Sign-in methods',
  lastSeen: 'Last seen',
  passwordAndCode: 'Password and code',
  passkey: 'Passkey',
  passkeyCount: (count: number) => `${count} passkeys`,

  schedulePausedAllNodes: 'Schedule paused on all nodes.',
  scheduleResumed: 'Schedule resumed.',
  pullSchedule: 'Pull schedule',
  pullScheduleDescription:
    'The hub pulls all active platforms on this schedule, to receive records that were not pushed.',
  nextScheduledPull: 'Next scheduled pull',
  noSchedule: 'None; pulls start only on request',
  pausedBy: 'Paused by',
  pausedSince: 'Paused since',
  pausingRequiresOperatorRole: 'Pausing requires the operator role.',
  scheduleSetBy: () => (
    <>
      Set by <Code>HUB_PULL_SCHEDULE</Code>.
    </>
  ),
  paused: 'Paused',
  retention: 'Retention',
  retentionDescription: 'Older data is deleted gradually. Records are never deleted by retention.',
  maximumNumberLogEntries: 'Maximum number of log entries',
  unlimited: 'Unlimited',
  retentionSetBy: () => (
    <>
      Set by <Code>HUB_RETENTION_…</Code>. See the configuration reference.
    </>
  ),

  copyNamed: (label: string) => `Copy ${label}`,

  noActiveSessions: 'No active sessions.',
  current: 'Current',
  unknownAddress: 'Unknown address',
  sinceLastActive: (address: string, time: ReactNode, time2: ReactNode) => (
    <>
      {address} · since {time} · last active {time2}
    </>
  ),
  endThisSession: 'End this session',
  unknownAddressInLabel: 'unknown address',
  endTheSession: (name: string, address: string) => `End the session ${name}, ${address}`,

  account: 'Account',
  apiTokens: 'API tokens',
  scheduleAndRetention: 'Schedule and retention',
  about: 'About',

  singleSignOnDescription:
    'Operators sign in with the account of your organisation, by OpenID Connect.',
  configured: 'Configured',
  notConfigured: 'Not configured',
  buttonLabel: 'Button label',
  signInWith: (name: string | null) => `Continue with ${name}`,
  provider: 'Provider',
  clientId: 'Client ID',
  clientSecret: 'Client secret',
  redirectUri: 'Redirect URI',
  configuredNeverShown: 'Configured, never shown',
  domainsWithRole: (domains: string, role: string) =>
    `E-mail addresses of ${domains}, with the role ${role}`,
  accessWithoutInvitation: 'Access without an invitation',
  noSingleSignOnHint: 'Operators sign in with a password or a passkey.',
  configuration: 'Configuration',
  configurationDescription: 'Single sign-on is configured by the settings of the hub.',
  registerAtProviderStep: (uri: ReactNode) => (
    <>
      Register the hub as a web application at your provider (Keycloak, Microsoft Entra ID, Google,
      Okta, Authentik…) with this redirect URI: {uri}
    </>
  ),
  setVariablesStep: () => (
    <>
      Set <Code>HUB_PUBLIC_URL</Code>, <Code>HUB_OIDC_ISSUER</Code>, <Code>HUB_OIDC_CLIENT_ID</Code>{' '}
      and <Code>HUB_OIDC_CLIENT_SECRET</Code>, and the label of the button with{' '}
      <Code>HUB_OIDC_NAME</Code>.
    </>
  ),
  rolesStep: () => (
    <>
      Invited operators get the role of their invitation. To give access to a whole domain, set{' '}
      <Code>HUB_OIDC_DOMAINS</Code>, and the role with <Code>HUB_OIDC_ROLE</Code>. The provider must
      have verified the e-mail address.
    </>
  ),
  restartStep: 'Restart the hub. The button appears on the sign-in page.',
  copyRedirectUri: 'Copy the redirect URI',
  ninetyDays: '90 days',
  oneYear: '1 year',
  tokenCreated: 'Token created',
  copyTokenNow: 'Copy the token now',
  copyTokenNowHint: 'The token is not shown again, because the hub stores only a hash of it.',
  createToken: 'Create token',
  nameDescription: 'The purpose of the token, e.g. nightly export',
  tokenRoleHint: 'At most your own role. The token is revoked when your account is removed.',
  expiresAfter: 'Expires after',

  revokeTitle: (name: string) => `Revoke “${name}”?`,
  revokeMessage: 'Requests with this token are rejected from now on. This cannot be undone.',
  revoke: 'Revoke',
  tokenRevoked: (name: string) => `Token ${name} revoked.`,
  allTokensDescription:
    'Programs authenticate with “Authorization: Bearer rht_…”. All tokens are listed.',
  ownTokensDescription:
    'Programs authenticate with “Authorization: Bearer rht_…”. Your own tokens are listed.',
  noTokensYet: 'No tokens yet',
  noTokensYetHint:
    'Create a token for each program that reads records or starts pulls, with the least privileged role that it needs.',

  createdBy: 'Created by',
  lastUsed: 'Last used',
  expires: 'Expires',
  revokeTheToken: (name: string) => `Revoke the token ${name}`,
  expiredAt: (time: ReactNode) => <>Expired {time}</>,
}
