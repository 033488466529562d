import type { PasswordInputProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { accountQuery } from '../api/account.ts'
import { CurrentPasswordInput } from './current-password-input.tsx'

/**
 * Asks for the password again before an action that reveals a key or gives access. Shows nothing to an operator without a
 * password, who must have signed in recently instead.
 */
export function PasswordAgainInput(props: PasswordInputProps) {
  const { data } = useQuery(accountQuery())
  if (data?.account.has_password === false) return null
  return <CurrentPasswordInput label="Your password" {...props} />
}
