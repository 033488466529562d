import { Button, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { renewSession } from '../../api/session.ts'
import { signInOptionsQuery } from '../../api/sign-in.ts'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { AddPasskey } from '../settings/account/add-passkey.tsx'
import { RecoveryCodes } from '../settings/account/recovery-codes.tsx'
import { SecondFactorSetup, type Setup } from '../settings/account/second-factor-setup.tsx'

/** The code of an app, or a passkey. With either the session opens the hub. */
export function ChooseFactor() {
  const [asking, setAsking] = useState<'app' | 'passkey' | null>(null)
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const options = useQuery(signInOptionsQuery())
  const hasPasskeys = options.data?.passkeys === true && canUsePasskeys()
  const goOn = async () => void (await renewSession())

  async function begin(password: string): Promise<void> {
    const begun = await callHub<{ totp_uri: string; recovery_codes: string[] }>(
      '/api/v1/account/second-factor',
      { method: 'POST', body: { password } },
    )
    setSetup({ uri: begun.totp_uri, codes: begun.recovery_codes })
    setAsking(null)
  }

  // They are not shown again, so nothing leads on before they were seen.
  if (codes) {
    return (
      <Stack>
        <RecoveryCodes codes={codes} />
        <Button onClick={goOn}>I have kept them, go on</Button>
      </Stack>
    )
  }
  if (setup) {
    return (
      <SecondFactorSetup
        setup={setup}
        onDone={async () => setCodes(setup.codes)}
        onCancel={() => setSetup(null)}
      />
    )
  }
  return (
    <Stack>
      <Button leftSection={<IconDeviceMobile size={18} />} onClick={() => setAsking('app')}>
        Use an authenticator app
      </Button>
      {hasPasskeys && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} />}
          onClick={() => setAsking('passkey')}
        >
          Use a passkey
        </Button>
      )}
      <Text size="sm" c="dimmed">
        {hasPasskeys
          ? 'An app on your phone shows a code for each sign-in. A passkey is the fingerprint, face or PIN of a device, in place of the password.'
          : 'An app on your phone shows a code for each sign-in.'}
      </Text>
      {asking === 'app' && (
        <PasswordDialog
          title="Set up an authenticator app"
          action="Go on"
          onClose={() => setAsking(null)}
          onConfirm={begin}
        />
      )}
      {asking === 'passkey' && (
        <AddPasskey withPassword onClose={() => setAsking(null)} onAdded={goOn} />
      )}
    </Stack>
  )
}
