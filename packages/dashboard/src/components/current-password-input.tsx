import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import { session } from '../api/session.ts'
import { useStore } from '../lib/store.ts'

/** Asks for the password of the operator. A hidden field tells password managers whose password it is. */
export function CurrentPasswordInput(props: PasswordInputProps) {
  const { operator } = useStore(session)
  return (
    <>
      <input type="text" autoComplete="username" value={operator?.email ?? ''} readOnly hidden />
      <PasswordInput
        required
        autoComplete="current-password"
        // Mantine leaves it out.
        {...(props.error ? { 'aria-invalid': true } : {})}
        {...props}
      />
    </>
  )
}

/**
 * Asks for the password again before an action that reveals a key or gives access. Shows nothing to an operator without a
 * password, who must have signed in recently instead.
 */
export function PasswordAgainInput(props: PasswordInputProps) {
  const { data } = useQuery(accountQuery())
  if (data?.account.has_password === false) return null
  return <CurrentPasswordInput label="Your password" {...props} />
}
