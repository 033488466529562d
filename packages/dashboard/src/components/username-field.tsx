import { session } from '../api/session.ts'
import { useStore } from '../lib/store.ts'

/** A hidden field in forms that ask for a password, so that password managers know the account. */
export function UsernameField() {
  const { operator } = useStore(session)
  return <input type="text" autoComplete="username" value={operator?.email ?? ''} readOnly hidden />
}
