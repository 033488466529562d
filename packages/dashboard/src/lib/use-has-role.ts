import { hasRole, type Role, session } from '../api/session.ts'
import { useStore } from './store.ts'

/** Whether the signed-in operator has a role. */
export function useHasRole(required: Role): boolean {
  return hasRole(useStore(session).operator?.role, required)
}
