import { mayActAs, type Role, session } from '../../api/session.ts'
import { useStore } from '../../lib/use-store.ts'

/** Whether whoever is signed in holds a role. */
export function useMay(least: Role): boolean {
  return mayActAs(useStore(session).operator?.role, least)
}
