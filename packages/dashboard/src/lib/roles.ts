import type { Role } from '@recordhub/protocol'

/** The roles, the least privileged first. */
export const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: read only' },
  { value: 'operator', label: 'Operator: platforms, pulls, records' },
  { value: 'admin', label: 'Admin: full access' },
]

export const ROLE_DESCRIPTIONS: Readonly<Record<Role, string>> = {
  viewer: 'You can read all data.',
  operator: 'You can work with platforms, pulls and records.',
  admin: 'You have full access and can manage operators.',
}
