import { COMMON_TEXTS } from '../../texts.ts'
/** The texts of the second-factor page. */
export const TEXTS = {
  ...COMMON_TEXTS,

  iHaveSavedCodes: 'I have saved the codes',
  useAuthenticatorApp: 'Use an authenticator app',
  useAPasskey: 'Use a passkey',
  factorsHint:
    'An authenticator app shows a code for each sign-in. A passkey uses the fingerprint, face or PIN of a device instead of a password.',
  appHint: 'An authenticator app shows a code for each sign-in.',
  setUpAuthenticatorApp: 'Set up an authenticator app',

  secondFactorRequired: 'Second factor required',
  signInAgain: 'Sign in again',
  setUpHint:
    'This hub requires a second factor, so that your password alone does not give access. Choose one to continue.',
  signInAgainHint:
    'This hub requires a second factor. Sign in again with the code of your authenticator app, your passkey or single sign-on.',
}
