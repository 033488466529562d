import { Button, Stack, Text } from '@mantine/core'
import { IconFingerprint, IconLogin2 } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import {
  beginSingleSignOn,
  type SignInResult,
  signInOptionsQuery,
  signInWithPasskey,
} from '../api/sign-in.ts'

/** Passkeys and single sign-on, where the hub and the browser have them. */
export function SignInOthers({
  next,
  before,
  passkeys = true,
  onResult,
  onTrouble,
}: {
  next: string | null
  /** What stands above, where there is something. */
  before?: ReactNode
  passkeys?: boolean
  onResult: (result: SignInResult) => Promise<void>
  onTrouble: (words: string) => void
}) {
  const options = useQuery(signInOptionsQuery())
  const [isWorking, setWorking] = useState(false)
  const [isElsewhere, setElsewhere] = useState(false)

  const hasPasskeys = passkeys && options.data?.passkeys === true && canUsePasskeys()
  const providers = options.data?.single_sign_on ?? []
  if (!hasPasskeys && providers.length === 0) return null

  async function takePasskey(): Promise<void> {
    setWorking(true)
    onTrouble('')
    await onResult(await signInWithPasskey())
    setWorking(false)
  }

  async function goTo(provider: string): Promise<void> {
    // A page that stays must keep what was typed, so the provider gets a tab of its own.
    const tab = next === null ? window.open('', '_blank') : null
    onTrouble('')
    const begun = await beginSingleSignOn(provider, next ?? '/dashboard')
    if ('reason' in begun) {
      tab?.close()
      onTrouble(begun.reason)
    } else if (tab) {
      tab.location.assign(begun.url)
      setElsewhere(true)
    } else {
      location.assign(begun.url)
    }
  }

  return (
    <Stack gap="sm">
      {before}
      {hasPasskeys && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} />}
          loading={isWorking}
          onClick={takePasskey}
        >
          Sign in with a passkey
        </Button>
      )}
      {providers.map(({ id, name }) => (
        <Button
          key={id}
          variant="default"
          leftSection={<IconLogin2 size={18} />}
          onClick={() => void goTo(id)}
        >
          {`Sign in with ${name}`}
        </Button>
      ))}
      {isElsewhere && (
        <Text size="sm" c="dimmed" role="status">
          Sign in in the other tab, then come back to this one.
        </Text>
      )}
    </Stack>
  )
}
