import { Alert, Button, Group, NumberInput, Select, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import type { Invitation, Role } from '@recordhub/protocol'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { invitationsQuery } from '../../../api/operators.ts'
import { Dialog } from '../../../components/dialog.tsx'
import { FormActions } from '../../../components/form-actions.tsx'
import { PasswordAgainInput } from '../../../components/password-again-input.tsx'
import { ROLE_CHOICES } from '../../../lib/roles.ts'
import { SecretOnce } from '../secret-once.tsx'
import { TEXTS } from '../texts.tsx'

type CreatedInvitation = {
  invitation: Invitation
  link: string
  mailed: boolean
  mail_problem: string | null
}

/** Creates an invitation link, which is shown only once. */
export function InviteDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient()
  const [errorText, setErrorText] = useState('')
  const [created, setCreated] = useState<CreatedInvitation | null>(null)
  const form = useForm<{ email: string; role: Role; days: number | string; password: string }>({
    mode: 'controlled',
    initialValues: { email: '', role: 'viewer', days: 7, password: '' },
  })
  const submit = form.onSubmit(async ({ email, role, days, password }) => {
    setErrorText('')
    try {
      const body = { email, role, expires_in_days: Number(days), password }
      setCreated(await callHub<CreatedInvitation>('/api/v1/invitations', { method: 'POST', body }))
      await client.invalidateQueries(invitationsQuery())
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  if (created) {
    return (
      <Dialog
        opened
        staysOpen
        onClose={onClose}
        title={TEXTS.invitationFor(created.invitation.email)}
        centered
        size="lg"
      >
        <Stack>
          <SecretOnce title={TEXTS.invitationLink} value={created.link} label="link">
            {created.mailed ? TEXTS.invitationLinkHint : TEXTS.shareLinkHint}
          </SecretOnce>
          {created.mail_problem && (
            <Alert color="yellow" variant="light">
              {TEXTS.emailFailed(created.mail_problem)}
            </Alert>
          )}
          <Group justify="flex-end">
            <Button onClick={onClose}>{TEXTS.done}</Button>
          </Group>
        </Stack>
      </Dialog>
    )
  }
  return (
    <Dialog opened onClose={onClose} title={TEXTS.inviteAnOperator} centered>
      <form onSubmit={submit}>
        <Stack>
          <Text size="sm" c="dimmed">
            {TEXTS.inviteHint}
          </Text>
          <TextInput
            label={TEXTS.eMail}
            type="email"
            required
            data-autofocus
            {...form.getInputProps('email')}
          />
          <Select
            label={TEXTS.role}
            data={ROLE_CHOICES}
            allowDeselect={false}
            comboboxProps={{ withinPortal: true }}
            {...form.getInputProps('role')}
          />
          <NumberInput
            label={TEXTS.linkExpiresAfterDays}
            min={1}
            max={30}
            allowDecimal={false}
            required
            {...form.getInputProps('days')}
          />
          <PasswordAgainInput {...form.getInputProps('password')} />
          <FormActions
            error={errorText}
            action={TEXTS.createLink}
            isBusy={form.submitting}
            onCancel={onClose}
          />
        </Stack>
      </form>
    </Dialog>
  )
}
