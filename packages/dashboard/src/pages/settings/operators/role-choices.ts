import type { Role } from '@recordhub/protocol'

/** The roles in words, the least first. */
export const ROLE_CHOICES: { value: Role; label: string }[] = [
  { value: 'viewer', label: 'Viewer: reads' },
  { value: 'operator', label: 'Operator: platforms, pulls, records' },
  { value: 'admin', label: 'Admin: everything' },
]
