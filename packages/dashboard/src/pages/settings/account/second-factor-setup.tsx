import { Alert, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { callHub, wordsOf } from '../../../api/call-hub.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { QrCode } from './qr-code.tsx'

/** `uri` is what the app reads: `otpauth://…`. */
export type Setup = { uri: string; codes: string[] }

/** Shows the picture for the app, and asks for a first code of it. */
export function SecondFactorSetup({
  setup,
  onDone,
  onCancel,
}: {
  setup: Setup
  onDone: () => Promise<void>
  onCancel: () => void
}) {
  const [trouble, setTrouble] = useState('')
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const secret = new URL(setup.uri).searchParams.get('secret') ?? ''
  const submit = form.onSubmit(async ({ code }) => {
    setTrouble('')
    try {
      await callHub('/api/v1/account/second-factor/confirm', {
        method: 'POST',
        body: { code: code.replaceAll(' ', '') },
      })
      await onDone()
    } catch (error) {
      setTrouble(wordsOf(error))
    }
  })
  return (
    <Group align="flex-start" gap="lg">
      <QrCode text={setup.uri} label="The picture to scan with your authenticator app" />
      <Stack flex={1} miw={240}>
        <Text size="sm">
          Scan the picture with an authenticator app. Where that does not work, enter this key
          there:
        </Text>
        <Group gap={4} wrap="nowrap">
          <Code data-secret="key">{secret}</Code>
          <CopyButton value={secret} label="Copy the key" />
        </Group>
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Code that the app shows now"
              required
              maw={260}
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="123456"
              {...form.getInputProps('code')}
            />
            {trouble && (
              <Alert color="red" variant="light" role="alert">
                {trouble}
              </Alert>
            )}
            <Group>
              <Button type="submit" loading={form.submitting}>
                Switch on
              </Button>
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Group>
  )
}
