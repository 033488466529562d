/** The texts of the pages without a session. */
export const TEXTS = {
  passwordsDoNotMatch: 'The passwords do not match',
  eMail: 'E-mail',
  yourName: 'Your name',
  password: 'Password',
  confirmPassword: 'Confirm password',
  createAccountAndSignIn: 'Create account and sign in',
  orWithoutPassword: 'or without a password',

  recordhub: 'Recordhub',

  invitation: 'Invitation',
  invalidInvitationLink: 'Invalid invitation link',
  loading: 'Loading',
  welcome: 'Welcome',
  invitationDescription: (role: string, roleDescriptions: string) =>
    `You have been invited to this hub with the role ${role}. ${roleDescriptions}`,

  setupDescription:
    'Create the first operator of this hub, with full access. You can invite others later.',

  signIn: 'Sign in',
}
