import type { Role } from '@recordhub/protocol'

/** The roles, the least privileged first. */
export const ROLE_CHOICES: { value: Role; label: string; text: string }[] = [
  { value: 'viewer', label: 'Viewer', text: 'Reads platforms, pulls, records and the log.' },
  { value: 'operator', label: 'Operator', text: 'Also works with platforms, pulls and records.' },
  { value: 'admin', label: 'Admin', text: 'Also manages operators and settings: full access.' },
]

export const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'You can read platforms, pulls, records and the log.',
  operator: 'You can work with platforms, pulls and records.',
  admin: 'You have full access and can manage operators.',
}
