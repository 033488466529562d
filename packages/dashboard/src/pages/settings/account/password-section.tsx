import { Alert, Button, Checkbox, Group, PasswordInput, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ownSessionsQuery } from '../../../api/account.ts'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { renewSession } from '../../../api/session.ts'
import { tokensQuery } from '../../../api/settings.ts'
import { notify } from '../../../components/confirm.tsx'
import { CurrentPasswordInput } from '../../../components/current-password-input.tsx'
import { PASSWORD_ADVICE, passwordError } from '../../sign-in/password-rule.ts'
import { SettingsSection } from '../settings-section.tsx'
import { TEXTS } from '../texts.tsx'

const EMPTY = { current: '', password: '', again: '', endSessions: true, revokeTokens: true }

export function PasswordSection() {
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
      notify(TEXTS.passwordChanged)
      await client.invalidateQueries(ownSessionsQuery())
      await client.invalidateQueries(tokensQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <SettingsSection title={TEXTS.password} description={PASSWORD_ADVICE}>
      <form onSubmit={submit}>
        <Stack>
          <CurrentPasswordInput
            label={TEXTS.currentPassword}
            maw={400}
            {...form.getInputProps('current')}
          />
          <SimpleGrid cols={{ base: 1, sm: 2 }}>
            <PasswordInput
              label={TEXTS.newPassword}
              required
              autoComplete="new-password"
              {...form.getInputProps('password')}
            />
            <PasswordInput
              label={TEXTS.confirmNewPassword}
              required
              autoComplete="new-password"
              {...form.getInputProps('again')}
            />
          </SimpleGrid>
          <Checkbox
            label={TEXTS.endSessions}
            {...form.getInputProps('endSessions', { type: 'checkbox' })}
          />
          <Checkbox
            label={TEXTS.revokeTokens}
            {...form.getInputProps('revokeTokens', { type: 'checkbox' })}
          />
          {errorText && (
            <Alert color="red" variant="light" role="alert">
              {errorText}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={form.submitting}>
              {TEXTS.changePassword}
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsSection>
  )
}
