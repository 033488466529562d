import type { Invitation } from '@recordhub/protocol'
import { toSingleLine } from '../../lib/text/single-line.ts'
import { timeInWords } from '../../lib/time/clock.ts'

const NAME_LENGTH = 200

export function composeInvitation({
  invited_by,
  role,
  expires_at,
  link,
}: Invitation & { link: string }): { subject: string; text: string } {
  const who = toSingleLine(invited_by, NAME_LENGTH)
  const text = [
    `${who} invites you to Recordhub with the role ${role}.`,
    `Open this link to choose a name and a password. It holds once, until ${timeInWords(expires_at)}:`,
    link,
    'If you did not expect this, do nothing.',
  ].join('\n\n')
  return { subject: 'Recordhub: you are invited', text: `${text}\n` }
}
