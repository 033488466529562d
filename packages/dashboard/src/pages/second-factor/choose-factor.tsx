import { Button, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { callHub } from '../../api/call-hub.ts'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { renewSession } from '../../api/session.ts'
import { useSignInOptions } from '../../api/sign-in.ts'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { AddPasskey } from '../settings/account/add-passkey.tsx'
import { RecoveryCodes } from '../settings/account/recovery-codes.tsx'
import { SecondFactorSetup, type Setup } from '../settings/account/second-factor-setup.tsx'
import { TEXTS } from './texts.ts'

/** Sets up an authenticator app or a passkey. Either one completes the sign-in. */
export function ChooseFactor() {
  const [dialog, setDialog] = useState<'app' | 'passkey' | null>(null)
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const options = useSignInOptions()
  const hasPasskeys = options?.passkeys === true && canUsePasskeys()
  const finish = async () => void (await renewSession())

  async function start(password: string): Promise<void> {
    const started = await callHub<{ totp_uri: string; recovery_codes: string[] }>(
      '/api/v1/account/second-factor',
      { method: 'POST', body: { password } },
    )
    setSetup({ uri: started.totp_uri, codes: started.recovery_codes })
    setDialog(null)
  }

  // The codes are shown once, so the operator has to confirm that they were saved.
  if (codes) {
    return (
      <Stack>
        <RecoveryCodes codes={codes} />
        <Button onClick={finish}>{TEXTS.iHaveSavedCodes}</Button>
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
      <Button leftSection={<IconDeviceMobile size={18} />} onClick={() => setDialog('app')}>
        {TEXTS.useAuthenticatorApp}
      </Button>
      {hasPasskeys && (
        <Button
          variant="default"
          leftSection={<IconFingerprint size={18} />}
          onClick={() => setDialog('passkey')}
        >
          {TEXTS.useAPasskey}
        </Button>
      )}
      <Text size="sm" c="dimmed">
        {hasPasskeys ? TEXTS.factorsHint : TEXTS.appHint}
      </Text>
      {dialog === 'app' && (
        <PasswordDialog
          title={TEXTS.setUpAuthenticatorApp}
          action={TEXTS.continue}
          onClose={() => setDialog(null)}
          onConfirm={start}
        />
      )}
      {dialog === 'passkey' && <AddPasskey onClose={() => setDialog(null)} onAdded={finish} />}
    </Stack>
  )
}
