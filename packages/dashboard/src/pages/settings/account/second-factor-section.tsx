import { Badge, Button, Group } from '@mantine/core'
import type { Account } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery, ownSessionsQuery } from '../../../api/account.ts'
import { callHub } from '../../../api/call-hub.ts'
import { renewSession } from '../../../api/session.ts'
import { notify } from '../../../components/confirm.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SecondFactorSetup, type Setup } from './second-factor-setup.tsx'

const PATH = '/api/v1/account/second-factor'

/** Two-factor authentication with an authenticator app. */
export function SecondFactorSection({ account }: { account: Account }) {
  const client = useQueryClient()
  const [dialog, setDialog] = useState<'enable' | 'disable' | 'codes' | null>(null)
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const isOn = account.second_factor

  /** A change of the second factor creates a new session. */
  async function refresh(): Promise<void> {
    await renewSession()
    await client.invalidateQueries(accountQuery())
    await client.invalidateQueries(ownSessionsQuery())
  }

  async function confirm(password: string): Promise<void> {
    const body = { password }
    if (dialog === 'enable') {
      const started = await callHub<{ totp_uri: string; recovery_codes: string[] }>(PATH, {
        method: 'POST',
        body,
      })
      setSetup({ uri: started.totp_uri, codes: started.recovery_codes })
    } else if (dialog === 'codes') {
      const path = `${PATH}/recovery-codes`
      const created = await callHub<{ recovery_codes: string[] }>(path, { method: 'POST', body })
      setCodes(created.recovery_codes)
    } else {
      await callHub(PATH, { method: 'DELETE', body })
      setCodes(null)
      await refresh()
      notify(TEXTS.twoFactorIsOff)
    }
    setDialog(null)
  }

  return (
    <SettingsSection
      title={TEXTS.twoFactor}
      description={TEXTS.twoFactorDescription}
      action={
        <Badge color={isOn ? 'green' : 'gray'} variant="light" tt="none">
          {isOn ? TEXTS.on : TEXTS.off}
        </Badge>
      }
    >
      {setup && (
        <SecondFactorSetup
          setup={setup}
          onCancel={() => setSetup(null)}
          onDone={async () => {
            setCodes(setup.codes)
            setSetup(null)
            await refresh()
            notify(TEXTS.twoFactorIsOn)
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} />}
      {!setup && (
        <Group>
          {isOn ? (
            <>
              <Button variant="default" onClick={() => setDialog('codes')}>
                {TEXTS.newRecoveryCodes}
              </Button>
              <Button variant="subtle" color="red" onClick={() => setDialog('disable')}>
                {TEXTS.turnOff}
              </Button>
            </>
          ) : (
            <Button
              variant="default"
              disabled={!account.has_password}
              onClick={() => setDialog('enable')}
            >
              {account.has_password ? TEXTS.setUpTwoFactor : TEXTS.managedByProvider}
            </Button>
          )}
        </Group>
      )}
      {dialog && (
        <PasswordDialog {...DIALOGS[dialog]} onClose={() => setDialog(null)} onConfirm={confirm} />
      )}
    </SettingsSection>
  )
}

const DIALOGS = {
  enable: { title: TEXTS.setUpTwoFactor, action: TEXTS.continue },
  codes: {
    title: TEXTS.newRecoveryCodes,
    action: TEXTS.createNewCodes,
    children: TEXTS.newRecoveryCodesMessage,
  },
  disable: {
    title: TEXTS.turnOffTwoFactorTitle,
    action: TEXTS.turnOff,
    danger: true,
    children: TEXTS.turnOffTwoFactorMessage,
  },
}
