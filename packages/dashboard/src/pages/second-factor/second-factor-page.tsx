import { Button, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { signOut } from '../../api/account.ts'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { renewSession } from '../../api/session.ts'
import { useSignInOptions } from '../../api/sign-in.ts'
import { attempt } from '../../components/confirm.tsx'
import { TEXTS } from '../../texts.ts'
import { AddPasskey } from '../settings/passkey-dialog.tsx'
import { SecondFactorDialog } from '../settings/second-factor.tsx'
import { EntryFrame } from '../sign-in/entry-frame.tsx'

/** Shown instead of any page if the session needs a second factor. */
export function SecondFactorPage({ missing }: { missing: 'set_up' | 'sign_in' }) {
  const hasFactor = missing === 'sign_in'
  return (
    <EntryFrame
      title={hasFactor ? 'Second factor required' : TEXTS.setUpTwoFactor}
      description={
        hasFactor
          ? 'This hub requires a second factor. Sign in again with the code of your authenticator app, your passkey or single sign-on.'
          : 'This hub requires a second factor, so that your password alone does not give access. Choose one to continue.'
      }
    >
      <Stack>
        {!hasFactor && <ChooseFactor />}
        <Button
          variant={hasFactor ? 'filled' : 'subtle'}
          onClick={() => attempt(() => signOut(signInPath()))}
        >
          {hasFactor ? 'Sign in again' : TEXTS.signOut}
        </Button>
      </Stack>
    </EntryFrame>
  )
}

/** Sets up an authenticator app or a passkey. Either one completes the sign-in. */
function ChooseFactor() {
  const [dialog, setDialog] = useState<'app' | 'passkey' | null>(null)
  const options = useSignInOptions()
  const hasPasskeys = options?.passkeys === true && canUsePasskeys()
  const finish = async () => void (await renewSession())
  const close = () => setDialog(null)
  return (
    <Stack>
      <Button leftSection={<IconDeviceMobile size={18} />} onClick={() => setDialog('app')}>
        Use an authenticator app
      </Button>
      {hasPasskeys && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} />}
          onClick={() => setDialog('passkey')}
        >
          Use a passkey
        </Button>
      )}
      <Text size="sm" c="dimmed">
        An authenticator app shows a code for each sign-in.
        {hasPasskeys &&
          ' A passkey uses the fingerprint, face or PIN of a device instead of a password.'}
      </Text>
      {dialog === 'app' && (
        <SecondFactorDialog title="Set up an authenticator app" onClose={close} onSaved={finish} />
      )}
      {dialog === 'passkey' && <AddPasskey onClose={close} onAdded={finish} />}
    </Stack>
  )
}

/** The path of the sign-in page, which returns to the current page. */
function signInPath(): string {
  const next = `${location.pathname}${location.search}`
  return next === '/dashboard' ? '/sign-in' : `/sign-in?${new URLSearchParams({ next })}`
}
