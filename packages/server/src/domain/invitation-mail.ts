import type { Invitation } from '@recordhub/protocol'
import { timeInWords } from '../lib/clock.ts'
import { toOneLine } from '../lib/one-line.ts'

const NAME_LENGTH = 200

export function composeInvitation({
  invited_by,
  role,
  expires_at,
  link,
}: Invitation & { link: string }): { subject: string; text: string } {
  const who = toOneLine(invited_by, NAME_LENGTH)
  const text = [
    `${who} invites you to Recordhub with the role ${role}.`,
    `Open this link to choose a name and a password. It holds once, until ${timeInWords(expires_at)}:`,
    link,
    'If you did not expect this, do nothing.',
  ].join('\n\n')
  return { subject: 'Recordhub: you are invited', text: `${text}\n` }
}
