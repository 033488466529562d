import { Alert, Box, Button, Code, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { encode } from 'uqr'
import { callHub, errorMessage } from '../../../api/call-hub.ts'
import { CopyButton } from '../../../components/copy-button.tsx'
import { TEXTS } from '../texts.tsx'

/** `uri`: the `otpauth://` URI for the authenticator app. */
export type Setup = { uri: string; codes: string[] }

/** Shows the QR code for the authenticator app, and confirms it with a first code. */
export function SecondFactorSetup({
  setup,
  onDone,
  onCancel,
}: {
  setup: Setup
  onDone: () => Promise<void>
  onCancel: () => void
}) {
  const [errorText, setErrorText] = useState('')
  const form = useForm({ mode: 'uncontrolled', initialValues: { code: '' } })
  const secret = new URL(setup.uri).searchParams.get('secret') ?? ''
  const submit = form.onSubmit(async ({ code }) => {
    setErrorText('')
    try {
      await callHub('/api/v1/account/second-factor/confirm', {
        method: 'POST',
        body: { code: code.replaceAll(' ', '') },
      })
      await onDone()
    } catch (error) {
      setErrorText(errorMessage(error))
    }
  })
  return (
    <Group align="flex-start" gap="lg">
      <QrCode text={setup.uri} label={TEXTS.qrCodeLabel} />
      <Stack flex={1} miw={240}>
        <Text size="sm">{TEXTS.scanQrCode}</Text>
        <Group gap={4} wrap="nowrap">
          <Code data-secret="key">{secret}</Code>
          <CopyButton value={secret} label={TEXTS.copyKey} />
        </Group>
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label={TEXTS.currentCode}
              required
              maw={260}
              inputMode="numeric"
              autoComplete="one-time-code"
              placeholder="123456"
              {...form.getInputProps('code')}
            />
            {errorText && (
              <Alert color="red" variant="light" role="alert">
                {errorText}
              </Alert>
            )}
            <Group>
              <Button type="submit" loading={form.submitting}>
                {TEXTS.turnOn}
              </Button>
              <Button variant="default" onClick={onCancel}>
                {TEXTS.cancel}
              </Button>
            </Group>
          </Stack>
        </form>
      </Stack>
    </Group>
  )
}

/** A QR code, always dark on light. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { data, size } = encode(text, { ecc: 'M', border: 2 })
  const squares = data.flatMap((row, y) =>
    row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')),
  )
  return (
    <Box w={200} h={200} bg="white" bdrs="sm">
      <svg
        viewBox={`0 0 ${size} ${size}`}
        role="img"
        aria-label={label}
        shapeRendering="crispEdges"
        width="100%"
        height="100%"
      >
        <path d={squares.join('')} fill="black" />
      </svg>
    </Box>
  )
}
