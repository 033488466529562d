import { Alert, Button, Group, PasswordInput, SimpleGrid, Stack } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ownSessionsQuery } from '../../../api/account.ts'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { renewSession } from '../../../api/session.ts'
import { tell } from '../../../components/confirm.tsx'
import { PASSWORD_ADVICE, passwordFault } from '../../sign-in/password-rule.ts'
import { SettingsSection } from '../settings-section.tsx'

const EMPTY = { current: '', password: '', again: '' }

export function PasswordSection() {
  const [trouble, setTrouble] = useState('')
  const client = useQueryClient()
  const form = useForm({
    mode: 'controlled',
    initialValues: EMPTY,
    validate: {
      password: passwordFault,
      again: (again, { password }) => (again === password ? null : 'This is not the same password'),
    },
  })
  const submit = form.onSubmit(async ({ current, password }) => {
    setTrouble('')
    try {
      await callHub('/api/v1/account/password', {
        method: 'POST',
        body: { current_password: current, new_password: password },
      })
      await renewSession()
      form.reset()
      tell('The password was changed. All other sessions were ended.')
      await client.invalidateQueries(ownSessionsQuery())
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  return (
    <SettingsSection
      title="Password"
      description={`${PASSWORD_ADVICE} A new one ends all your other sessions.`}
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
              label="New password again"
              required
              autoComplete="new-password"
              {...form.getInputProps('again')}
            />
          </SimpleGrid>
          {trouble && (
            <Alert color="red" variant="light" role="alert">
              {trouble}
            </Alert>
          )}
          <Group>
            <Button type="submit" loading={form.submitting}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </SettingsSection>
  )
}
