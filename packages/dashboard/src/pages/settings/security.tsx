import { Button, Checkbox, PasswordInput, SimpleGrid, Stack, Text } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Passkey } from '@recordhub/protocol'
import { IconFingerprint, IconTrash } from '@tabler/icons-react'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import {
  accountQuery,
  OWN_SESSIONS_PATH,
  ownSessionsQuery,
  PASSKEYS_PATH,
  passkeysQuery,
} from '../../api/account.ts'
import { callHub, errorMessage } from '../../api/call-hub.ts'
import { canUsePasskeys } from '../../api/passkeys.ts'
import { renewSession } from '../../api/session.ts'
import { tokensQuery } from '../../api/settings.ts'
import { useSignInOptions } from '../../api/sign-in.ts'
import { confirm, notify } from '../../components/confirm.tsx'
import { CurrentPasswordInput } from '../../components/current-password-input.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { FormError } from '../../components/form-error.tsx'
import { IconButton } from '../../components/icon-button.tsx'
import { Below, columnsFor } from '../../components/list-table/columns.tsx'
import { ListTable } from '../../components/list-table/list-table.tsx'
import { Loaded } from '../../components/loaded.tsx'
import { PasswordDialog } from '../../components/password-dialog.tsx'
import { Time } from '../../components/time.tsx'
import { TEXTS } from '../../texts.ts'
import { PASSWORD_ADVICE, passwordError } from '../sign-in/password-rule.ts'
import { LinesSkeleton, SessionsTable, SettingsSection } from './parts.tsx'
import { AddPasskey } from './passkey-dialog.tsx'
import { SecondFactorSection } from './second-factor.tsx'

/** How the signed-in operator signs in, and where. */
export function SecuritySettings() {
  return (
    <Loaded query={useQuery(accountQuery())} skeleton={<LinesSkeleton lines={8} />}>
      {({ account }) => (
        <>
          {account.has_password && <PasswordSection />}
          <SecondFactorSection account={account} />
          <PasskeysSection />
          <OwnSessions />
        </>
      )}
    </Loaded>
  )
}

const EMPTY = { current: '', password: '', again: '', endSessions: true, revokeTokens: true }

function PasswordSection() {
  const [errorText, setErrorText] = useState('')
  const client = useQueryClient()
  const form = useForm({
    mode: 'controlled',
    initialValues: EMPTY,
    validate: {
      password: passwordError,
      again: (again, { password }) => (again === password ? null : TEXTS.passwordsDoNotMatch),
    },
  })
  const submit = form.onSubmit(async ({ current, password, endSessions, revokeTokens }) => {
    setErrorText('')
    try {
      await callHub('/api/v1/account/password', {
        method: 'POST',
        body: {
          current_password: current,
          new_password: password,
          end_sessions: endSessions,
          revoke_tokens: revokeTokens,
        },
      })
      await renewSession()
      form.reset()
      notify('The password was changed.')
      await client.invalidateQueries(ownSessionsQuery())
      await client.invalidateQueries(tokensQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <SettingsSection title={TEXTS.password} description={PASSWORD_ADVICE}>
      <form onSubmit={submit}>
        <Stack p="md">
          <CurrentPasswordInput
            label="Current password"
            maw={400}
            {...form.getInputProps('current')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordInput
              label="New password"
              required
              autoComplete="new-password"
              {...form.getInputProps('password')}
            />
            <PasswordInput
              label="Confirm new password"
              required
              autoComplete="new-password"
              {...form.getInputProps('again')}
            />
          </SimpleGrid>
          <Checkbox
            label="End all my other sessions"
            {...form.getInputProps('endSessions', { type: 'checkbox' })}
          />
          <Checkbox
            label="Revoke all my API tokens"
            {...form.getInputProps('revokeTokens', { type: 'checkbox' })}
          />
          <FormError message={errorText} />
          <Button type="submit" loading={form.submitting} w="fit-content">
            Change password
          </Button>
        </Stack>
      </form>
    </SettingsSection>
  )
}

const column = columnsFor<Passkey>()

/** The passkeys of the signed-in operator. */
function PasskeysSection() {
  const client = useQueryClient()
  const [isAdding, setAdding] = useState(false)
  const [removing, setRemoving] = useState<Passkey | null>(null)
  const options = useSignInOptions()
  const found = useQuery(passkeysQuery())
  const refresh = () => client.invalidateQueries(passkeysQuery())
  const isPossible = options?.passkeys === true && canUsePasskeys()
  const passkeys = found.data?.passkeys ?? []
  return (
    <SettingsSection
      title="Passkeys"
      description="Sign in with the fingerprint, face or PIN of a device. A passkey replaces the password and the second factor."
      action={
        isPossible && (
          <Button
            variant="default"
            leftSection={<IconFingerprint size={18} />}
            onClick={() => setAdding(true)}
          >
            Add a passkey
          </Button>
        )
      }
    >
      {options && !isPossible && (
        <Text size="sm" c="dimmed" p="md">
          {options.passkeys
            ? 'This browser does not support passkeys.'
            : 'Passkeys require that you open the hub by https under the address in HUB_PUBLIC_URL.'}
        </Text>
      )}
      {found.isError && <ErrorNotice error={found.error} onRetry={() => void found.refetch()} />}
      {found.isPending && <LinesSkeleton lines={1} />}
      {found.data && passkeys.length === 0 && isPossible && (
        <Text size="sm" p="md">
          You have no passkeys yet.
        </Text>
      )}
      {passkeys.length > 0 && (
        <ListTable
          label="Passkeys"
          isPlain
          rows={passkeys}
          idOf={({ id }) => id}
          columns={[
            column.of('Passkey', ({ name, synced, created_at }) => (
              <>
                <Text size="sm" fw={600}>
                  {name}
                </Text>
                <Below>
                  {synced ? 'In a password manager' : 'On one device'} · added{' '}
                  <Time at={created_at} />
                </Below>
              </>
            )),
            column.actions(
              'Remove',
              (passkey) => (
                <IconButton
                  tooltip="Remove"
                  label={`Remove the passkey ${passkey.name}`}
                  color="red"
                  onClick={() => setRemoving(passkey)}
                >
                  <IconTrash size={16} aria-hidden />
                </IconButton>
              ),
              { width: 60, phone: 'end' },
            ),
          ]}
        />
      )}
      {isAdding && <AddPasskey onClose={() => setAdding(false)} onAdded={refresh} />}
      {removing && (
        <PasswordDialog
          title="Remove a passkey"
          action="Remove"
          danger
          onClose={() => setRemoving(null)}
          onConfirm={async (password) => {
            const body = { password }
            await callHub(`${PASSKEYS_PATH}/${removing.id}`, { method: 'DELETE', body })
            await refresh()
            notify('Passkey removed.')
            setRemoving(null)
          }}
        >
          {`“${removing.name}” can no longer be used. Delete it from your device or password manager as well.`}
        </PasswordDialog>
      )}
    </SettingsSection>
  )
}

/** The sessions of the signed-in operator. */
function OwnSessions() {
  const client = useQueryClient()
  const found = useQuery(ownSessionsQuery())
  const hasOthers = found.data?.sessions.some(({ current }) => !current)

  async function end(path: string, message: string): Promise<void> {
    await callHub(path, { method: 'DELETE' })
    await client.invalidateQueries(ownSessionsQuery())
    notify(message)
  }

  return (
    <SettingsSection
      title="Sessions"
      description="Where you are signed in. If you do not recognise a session, end it and change your password."
      action={
        hasOthers && (
          <Button
            variant="default"
            onClick={() =>
              confirm({
                title: 'End all other sessions?',
                children: 'You stay signed in here and are signed out everywhere else.',
                action: 'End all others',
                onConfirm: () => end(OWN_SESSIONS_PATH, 'All other sessions have ended.'),
              })
            }
          >
            End all others
          </Button>
        )
      }
    >
      <SessionsTable
        query={found}
        onEnd={({ id }) => end(`${OWN_SESSIONS_PATH}/${id}`, 'The session has ended.')}
      />
    </SettingsSection>
  )
}
