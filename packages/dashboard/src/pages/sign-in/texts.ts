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

  setupDescription:
    'Create the first operator of this hub, with full access. You can invite others later.',
}
