import { Button, Stack, Text } from '@mantine/core'
import { IconFingerprint } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { canUsePasskeys } from '../api/passkeys.ts'
import {
  type SignInResult,
  signInWithPasskey,
  startSingleSignOn,
  useSignInOptions,
} from '../api/sign-in.ts'

/** Sign-in with a passkey or by single sign-on, as far as the hub and the browser support them. */
export function SignInAlternatives(props: {
  next: string | null
  /** Rendered above the buttons, if there are any. */
  before?: ReactNode
  passkeys?: boolean
  onResult: (result: SignInResult) => Promise<void>
  onError: (message: string) => void
}) {
  const { next, before, passkeys = true, onResult, onError } = props
  const options = useSignInOptions()
  const [isWorking, setWorking] = useState(false)
  const [isInOtherTab, setOtherTab] = useState(false)

  const hasPasskeys = passkeys && options?.passkeys === true && canUsePasskeys()
  const providers = options?.single_sign_on ?? []
  if (!hasPasskeys && providers.length === 0) return null

  async function signInByPasskey(): Promise<void> {
    setWorking(true)
    onError('')
    await onResult(await signInWithPasskey())
    setWorking(false)
  }

  async function goTo(provider: string): Promise<void> {
    // A page that stays open must not lose its input, so the provider opens in a new tab.
    const tab = next === null ? window.open('', '_blank') : null
    onError('')
    const started = await startSingleSignOn(provider, next ?? '/dashboard')
    if ('reason' in started) {
      tab?.close()
      onError(started.reason)
    } else if (tab) {
      tab.location.assign(started.url)
      setOtherTab(true)
    } else {
      location.assign(started.url)
    }
  }

  return (
    <Stack>
      {before}
      {hasPasskeys && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={16} />}
          loading={isWorking}
          onClick={signInByPasskey}
        >
          Use a passkey
        </Button>
      )}
      {providers.map(({ id, name }) => (
        <Button key={id} variant="default" onClick={() => void goTo(id)}>
          Continue with {name}
        </Button>
      ))}
      {isInOtherTab && (
        <Text size="sm" c="dimmed" role="status">
          Sign in in the other tab, then return to this one.
        </Text>
      )}
    </Stack>
  )
}
