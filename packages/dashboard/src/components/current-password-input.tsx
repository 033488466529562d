import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { session } from '../api/session.ts'
import { useStore } from '../lib/store.ts'

/** Asks for the password of the operator. A hidden field tells password managers whose password it is. */
export function CurrentPasswordInput(props: PasswordInputProps) {
  const { operator } = useStore(session)
  return (
    <>
      <input type="text" autoComplete="username" value={operator?.email ?? ''} readOnly hidden />
      <PasswordInput required autoComplete="current-password" {...props} />
    </>
  )
}
