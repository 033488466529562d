import { Badge, Button, Group } from '@mantine/core'
import type { Account } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { accountQuery, ownSessionsQuery } from '../../../api/account.ts'
import { callHub } from '../../../api/call-hub.ts'
import { renewSession } from '../../../api/session.ts'
import { tell } from '../../../components/confirm.tsx'
import { PasswordDialog } from '../../../components/password-dialog.tsx'
import { SettingsSection } from '../settings-section.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { SecondFactorSetup, type Setup } from './second-factor-setup.tsx'

const PATH = '/api/v1/account/second-factor'

/** The code of an authenticator app, asked for after the password. */
export function SecondFactorSection({ account }: { account: Account }) {
  const client = useQueryClient()
  const [asking, setAsking] = useState<'enable' | 'disable' | 'codes' | null>(null)
  const [setup, setSetup] = useState<Setup | null>(null)
  const [codes, setCodes] = useState<string[] | null>(null)
  const isOn = account.second_factor

  /** A change of the second factor gives the browser a new session. */
  async function refresh(): Promise<void> {
    await renewSession()
    await client.invalidateQueries(accountQuery())
    await client.invalidateQueries(ownSessionsQuery())
  }

  async function confirm(password: string): Promise<void> {
    const body = { password }
    if (asking === 'enable') {
      const begun = await callHub<{ totp_uri: string; recovery_codes: string[] }>(PATH, {
        method: 'POST',
        body,
      })
      setSetup({ uri: begun.totp_uri, codes: begun.recovery_codes })
    } else if (asking === 'codes') {
      const path = `${PATH}/recovery-codes`
      const made = await callHub<{ recovery_codes: string[] }>(path, { method: 'POST', body })
      setCodes(made.recovery_codes)
    } else {
      await callHub(PATH, { method: 'DELETE', body })
      setCodes(null)
      await refresh()
      tell('The second factor is off.')
    }
    setAsking(null)
  }

  return (
    <SettingsSection
      title="Second factor"
      description="A code of an authenticator app on your phone, asked for after the password. Whoever has your password alone does not get in."
      action={
        <Badge color={isOn ? 'green' : 'gray'} variant="light" tt="none">
          {isOn ? 'On' : 'Off'}
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
            tell('The second factor is on.')
          }}
        />
      )}
      {codes && <RecoveryCodes codes={codes} />}
      {!setup && (
        <Group>
          {isOn ? (
            <>
              <Button variant="default" onClick={() => setAsking('codes')}>
                New recovery codes
              </Button>
              <Button variant="subtle" color="red" onClick={() => setAsking('disable')}>
                Switch off
              </Button>
            </>
          ) : (
            <Button
              variant="default"
              disabled={!account.has_password}
              onClick={() => setAsking('enable')}
            >
              {account.has_password
                ? 'Set up a second factor'
                : 'Your provider of single sign-on asks for it'}
            </Button>
          )}
        </Group>
      )}
      {asking && (
        <PasswordDialog {...DIALOGS[asking]} onClose={() => setAsking(null)} onConfirm={confirm} />
      )}
    </SettingsSection>
  )
}

const DIALOGS = {
  enable: { title: 'Set up a second factor', action: 'Go on' },
  codes: {
    title: 'New recovery codes',
    action: 'Make new codes',
    children: 'The codes that you have now hold no more.',
  },
  disable: {
    title: 'Switch the second factor off',
    action: 'Switch off',
    danger: true,
    children:
      'Your password alone will be enough to sign in, and your recovery codes hold no more.',
  },
}
