import { Alert, Button, Group, PasswordInput, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ownSessionsQuery } from '../../../api/account.ts'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { renewSession } from '../../../api/session.ts'
import { notify } from '../../../components/confirm.tsx'
import { PASSWORD_ADVICE, passwordError } from '../../sign-in/password-rule.ts'
import { SettingsSection } from '../settings-section.tsx'

const EMPTY = { current: '', password: '', again: '' }

export function PasswordSection() {
  const [errorText, setErrorText] = useState('')
  const client = useQueryClient()
  const form = useForm({
    mode: 'controlled',
    initialValues: EMPTY,
    validate: {
      password: passwordError,
      again: (again, { password }) => (again === password ? null : 'The passwords do not match'),
    },
  })
  const submit = form.onSubmit(async ({ current, password }) => {
    setErrorText('')
    try {
      await callHub('/api/v1/account/password', {
        method: 'POST',
        body: { current_password: current, new_password: password },
      })
      await renewSession()
      form.reset()
      notify('The password was changed. All other sessions have ended.')
      await client.invalidateQueries(ownSessionsQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <SettingsSection
      title="Password"
      description={`${PASSWORD_ADVICE} A new password ends all your other sessions.`}
    >
      <form onSubmit={submit}>
        <Stack>
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
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
          {errorText && (
            <Alert color="red" variant="light" role="alert">
              {errorText}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={form.submitting}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsSection>
  )
}
