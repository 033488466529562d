import { COMMON_TEXTS } from '../../texts.ts'
/** The texts of the pages without a session. */
export const TEXTS = {
  ...COMMON_TEXTS,

  yourName: 'Your name',
  confirmPassword: 'Confirm password',
  createAccountAndSignIn: 'Create account and sign in',
  orWithoutPassword: 'or without a password',

  invitation: 'Invitation',
  invalidInvitationLink: 'Invalid invitation link',
  welcome: 'Welcome',
  invitationDescription: (role: string, roleDescriptions: string) =>
    `You have been invited to this hub with the role ${role}. ${roleDescriptions}`,

  iHaveABackup: 'I have a backup',
  restoreDescription:
    'Restore the data of another hub on this one. The hub needs the same secret (HUB_SECRET or the file recordhub.secret), and the same database engine.',
  backupFile: 'Backup file',
  chooseBackupFile: 'Choose a file',
  backupPassphrase: 'Passphrase',
  backupPassphraseHint: 'Only if the backup is encrypted',
  uploadAndRestore: 'Upload and restore',
  restoring: 'The backup is being restored. The hub restarts, and the sign-in page opens then.',
  restoreFailed: 'The backup could not be restored. The log of the hub says why.',
  setUpNewHub: 'Set up a new hub instead',

  setupDescription:
    'Create the first operator of this hub, with full access. You can invite others later.',
}
