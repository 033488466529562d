import { Anchor, Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useState } from 'react'
import { type SignInResult, sendCode } from '../api/sign-in.ts'

/** The second factor: the code of an app, or a recovery code for who has lost it. */
export function SignInCode({
  onResult,
  onBack,
}: {
  onResult: (result: SignInResult) => Promise<void>
  onBack: () => void
}) {
  const [kind, setKind] = useState<'app' | 'recovery'>('app')
  const form = useForm({ mode: 'controlled', initialValues: { code: '' } })
  const isApp = kind === 'app'

  function change(): void {
    setKind(isApp ? 'recovery' : 'app')
    form.setFieldValue('code', '')
  }

  const submit = form.onSubmit(async ({ code }) => {
    await onResult(await sendCode(code, kind))
    form.setFieldValue('code', '')
  })

  return (
    <form onSubmit={submit}>
      <Stack>
        <Text size="sm">
          {isApp
            ? 'Enter the code that your authenticator app shows.'
            : 'Enter one of the recovery codes that you have kept. Each holds once.'}
        </Text>
        <TextInput
          key={kind}
          label={isApp ? 'Code' : 'Recovery code'}
          required
          autoFocus
          autoComplete={isApp ? 'one-time-code' : 'off'}
          autoCapitalize="none"
          spellCheck={false}
          inputMode={isApp ? 'numeric' : 'text'}
          placeholder={isApp ? '123456' : '2kf7-9xq3-…'}
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={form.submitting}>
          Go on
        </Button>
        <Group justify="space-between">
          <Anchor component="button" type="button" size="sm" onClick={change}>
            {isApp ? 'Use a recovery code' : 'Use the app'}
          </Anchor>
          <Anchor component="button" type="button" size="sm" onClick={onBack}>
            Back
          </Anchor>
        </Group>
      </Stack>
    </form>
  )
}
